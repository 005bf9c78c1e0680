// Package trial is the record of one use of a capability, and the sums of many.
//
// A Trial says which agent used which version of a capability, with which model, for which
// tags, and with which result. A Counts sums trials by day, capability, version, tags, model,
// agent, source and level. A Book holds the counts of all writers and returns the results of a
// capability: for ranking (Of) and for decisions (Observed), with bounds on the influence of
// one writer.
//
// Sums are the only operation, so that order and repetition change no answer
// (TestBookIsAUnion), and reading one more batch reads no older one.
//
// The package never reads a clock, a file or a repository. It accepts no number beyond the
// limits of the format, and a trial never admits a capability that the gate did not.
package trial
