// Package review turns a reviewer's decision into bytes that can be signed, and
// signed bytes back into a decision.
//
// A record is bound to one workspace, one proposal, one head commit and one
// effective tree, so that a signature can be replayed nowhere else. The package
// answers only whether a signature is good and whose key made it: who holds that
// key, and whether their decision counts, is for package policy. It reads no
// files, knows no clock and draws no nonces; they come in as values.
package review
