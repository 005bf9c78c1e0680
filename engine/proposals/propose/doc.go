// Package propose turns a request into a branch and a pull request: it checks names and sizes
// before a byte is written, builds the commits on the commit in force, validates the merge result,
// and opens or moves the pull request.
//
// It never merges, never writes to a worktree, and loses nothing: a proposal that validation
// refuses can still be read and updated.
package propose
