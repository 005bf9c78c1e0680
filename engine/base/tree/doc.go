// Package tree describes Git trees as values: entries, read-only views, edits, differences and
// three-way merges.
//
// It stores nothing and needs no repository or disk. A View may be a commit, the files of a
// worktree, or a map in a test; code that checks content takes a View and cannot distinguish
// them.
package tree
