// Package tracked compares imported skills with the sources that their records name, and proposes
// what changed there.
//
// A check compares three versions: the source as it was taken, the source now, and what is in
// force. Local edits stay; where both sides changed the same lines, nothing is proposed and the
// files are named. The proposal's id follows from the capability and the source's content, so one
// content is proposed once, however often it is checked, and a rejected one stays rejected.
//
// It must never merge, remove a capability, or write a file that a source names: content is read
// from Git objects and leaves as edits of a proposal.
package tracked
