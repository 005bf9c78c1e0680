// Package propose turns what somebody asks for into a branch and a pull request:
// it checks names and sizes before a byte is written, builds the commits from what
// is in force, validates the merge result, and opens or moves the pull request.
//
// It never merges, never writes to a worktree, and loses nothing: a proposal that
// validation refuses is still there to be looked at and updated.
package propose
