// Package attest finds the commit in force: the newest state of the governed folders that main
// reached only by merges that the gate allowed.
//
// It trusts no cache, no trailer and no claim of a journal. Each merge since the last one seen is
// judged again: under the policies in force before it, on its actual difference and on verified
// signatures of reviews. It reads the repository and the user's state file; it moves no ref.
package attest
