// Package tree describes Git trees as values: entries, read-only views, edits,
// differences and three-way merges.
//
// It decides and never stores: no repository, no disk. A View may stand for a
// commit, for the files of a worktree, or for a map in a test; everything that
// checks content takes a View and cannot tell which.
package tree
