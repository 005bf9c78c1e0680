// Package answers says what serves a gap already: a capability in force or archived, an open proposal or
// run, or the reason for which reviewers rejected the same. It also says which steps of a plan can be
// carried out.
//
// It starts nothing. An answer rests on words and may be wrong, so it names what it found, and the caller
// decides.
package answers
