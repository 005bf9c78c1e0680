// Package prove runs the tests of capabilities: their own cases, those they inherit
// and those that their schemas demand, each as often as asked, several at a time, in
// the environment in which the capability is called (package tool). Of what a change
// brings, it runs the earlier cases and the new ones on what is in force as well, so
// that a new case shows something and an old one keeps holding.
//
// Of what its author may not have written yet, such as a template, it says what can be
// said: that it reads, starts, lists what it offers, holds its cases and is found.
//
// The package says what came of it and decides nothing. It writes nothing but its own
// cache in the user's folder, and runs nothing without the runner that it is given.
package prove
