// Package fill has a drafter fill in the template of a tool or a server that a proposal
// brings: it asks, holds the answer against what the template declares (package drafter),
// has the merge result validated and tried in the sandbox, and only then puts it onto the
// proposal's branch, as one more commit that the drafter is the author of.
//
// It does so where the policies in force say sandboxed or autonomous, of the proposal and of
// whoever acts. It never touches a worktree, decides nothing about the proposal, and leaves
// it as it was when anything does not hold.
package fill
