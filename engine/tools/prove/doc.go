// Package prove runs the tests of capabilities: their own cases, inherited ones and those
// that their schemas demand, each as often as asked, several at a time, in the environment in
// which the capability is called (package tool). For a change, it runs the earlier and the new
// cases on the tree in force as well, so that a new case shows something and an old one
// still passes.
//
// A template that its author has not completed yet is checked as far as possible: it reads,
// starts, lists its methods, passes its cases and is found.
//
// The package reports results and decides nothing. It writes only its own cache in the user's
// folder, and runs nothing without the given runner.
package prove
