// Package checkpoint defines the checkpoint, with which a person records outside of a
// workspace where main and every journal ended at one instant, signed with their SSH key.
// Its short, unsigned form is an anchor: a workspace and a commit in force there.
//
// The package decides the bytes of a checkpoint and whether a signature fits them.
// Package audit decides whether a workspace still has the recorded state, and whether the
// signer counts. This package reads no files and no clock.
package checkpoint
