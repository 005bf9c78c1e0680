// Package cgroup bounds the memory of all processes of one program together, by a control group
// of the kernel that is created for the program and removed after it.
//
// Groups can be created by root with version 1, and with version 2 by a user with a delegated
// part of the hierarchy, as processes of a user's own systemd and services with Delegate= and
// DelegateSubgroup= have. [Find] checks whether this process can. A group counts what the
// kernel counts: the pages of its processes and of in-memory files, page tables, and file
// names.
//
// The package does not decide how much memory a program may use.
package cgroup
