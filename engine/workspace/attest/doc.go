// Package attest finds out what is in force: the newest state of the governed
// folders that main reached by merges which the gate allowed, and by nothing else.
//
// It believes no cache, no trailer and no claim of a journal: each merge since
// the last one seen is judged again, under the policies that were in force before
// it, on the difference that it really made and on the reviews that were really
// signed. It reads the repository and the user's state file; it moves no ref.
package attest
