// Package workspace opens a repository as an assent workspace: what is in force,
// by which policies, and on which forge. It observes; the use cases that build on
// it decide and act.
//
// Readers get what is in force from here and from nowhere else: never the
// worktree, never a commit that the gate did not allow.
package workspace
