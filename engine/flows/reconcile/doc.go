// Package reconcile is one pass of the engine by itself: it observes a workspace,
// decides by the workflows in force what is to be done, does it, one action per
// subject, and observes again until nothing is left.
//
// The decision is a function of what was observed. Nothing is done that somebody
// could not do by hand with the same outcome: merging asks the gate, proposing
// checks and validates. A pass can be killed anywhere and run beside others; what
// it had acknowledged stands, and the next pass goes on from there.
package reconcile
