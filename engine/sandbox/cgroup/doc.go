// Package cgroup bounds the memory of all processes of one program together, by a
// control group of the kernel that is made for it and removed after it.
//
// Groups can be made where the system lets us: by root with version 1, and with version 2 by
// a user who has a part of the hierarchy handed over ("delegated"), as processes of a user's own
// systemd and services with Delegate= and DelegateSubgroup= have. [Find] looks whether this is
// such a place. What a group counts is what the kernel counts: the pages of its processes and of files in
// memory, page tables, the names of files.
//
// The package decides nothing about how much a program may take.
package cgroup
