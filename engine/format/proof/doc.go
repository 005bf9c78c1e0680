// Package proof is the form in which it is kept what the tests of capabilities came to:
// the trial of one capability, the digest of all that its outcome depends on, and the
// record of trials that is kept beside a proposal.
//
// It runs nothing; package prove does. A record is what the program that wrote it says.
// Whoever can write a journal can write another, so that nothing ever merges because of
// one: whoever merges runs the tests again, and the signed attestation of the merge has
// what came of that. Whether that is enough is decided by package policy.
package proof
