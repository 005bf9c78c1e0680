// Package checkpoint is the form in which somebody keeps, outside of a workspace,
// what they saw of it: where main and every journal ended at one instant, signed
// with their SSH key. Its short form is an anchor, which is not signed: a workspace and
// a commit that was in force there.
//
// It decides what the bytes of a checkpoint are and whether a signature fits them.
// Whether a workspace still holds what a checkpoint saw, and whether the signer is
// one whose word counts, is for package audit. It reads no files and knows no
// clock; they come in as values.
package checkpoint
