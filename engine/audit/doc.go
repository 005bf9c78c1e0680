// Package audit reads main's history as the record that it is: which commit
// brought what, by which proposal, and whether all of it was allowed.
//
// Verify believes no cache and no earlier result: it begins at the genesis commit
// and judges every merge again. The package reads; it moves no ref and changes no
// file of the workspace.
package audit
