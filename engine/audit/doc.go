// Package audit reads main's history as a record: which commit came from which proposal,
// and whether each was allowed.
//
// Verify relies on no cache and no earlier result: it begins at the genesis commit and
// judges every merge again. The package only reads; it moves no ref and changes no file
// of the workspace.
package audit
