// Package review converts a reviewer's decision to signable bytes, and signed bytes back
// to a decision.
//
// A record is bound to one workspace, one proposal, one head commit and one effective
// tree, so a signature cannot be replayed elsewhere. The package only checks that a
// signature is valid and which key made it. Package policy decides who holds that key,
// and whether the decision counts. This package reads no files and no clock and generates
// no nonces; they are arguments.
package review
