// Package workspace opens a repository as an assent workspace: the commit in force, its policies,
// and its forge. It observes; the use cases that build on it decide and act.
//
// Readers get the content in force only from here: never from the worktree, never from a commit
// that the gate did not allow.
package workspace
