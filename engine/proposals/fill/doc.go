// Package fill has a drafter fill in the template of a tool or a server in a proposal: it asks,
// checks the answer against the template's declarations (package drafter), has the merge result
// validated and tried in the sandbox, and only then adds it to the proposal's branch, as one more
// commit with the drafter as author.
//
// It does so only if the mode in force is sandboxed or autonomous, for the proposal and for the
// actor. It never touches a worktree, decides nothing about the proposal, and leaves it unchanged
// if any check fails.
package fill
