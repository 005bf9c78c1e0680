// Package reconcile runs one pass of the engine: it observes a workspace, decides by the
// workflows in force, acts, with one action for each subject, and observes again until
// nothing is left to do.
//
// The decision is a function of the observation. A pass does nothing that a person could
// not do by hand with the same outcome: merging asks the gate, proposing checks and
// validates. A pass can be killed at any point and can run beside others. Acknowledged work
// stays, and the next pass continues from there.
package reconcile
