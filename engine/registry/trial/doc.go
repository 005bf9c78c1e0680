// Package trial is the record of one use of a capability, and what many of them add up to.
//
// A Trial says who used which version of what, with which model, for which tags, and what
// came of it. A Counts sums trials by day, capability, version, tags, model, agent, source
// and level. A Book holds the counts of all writers and answers how a capability did: for
// ranking (Of) and for decisions (Observed), with bounds on what one writer can do.
//
// Sums are the only operation, so that order and repetition change no answer
// (TestBookIsAUnion), and reading one more batch reads no older one.
//
// The package never reads a clock, a file or a repository. It believes no number beyond the
// limits of the format, and never lets a trial admit what the gate did not.
package trial
