// Package suite says what running a capability's tests came to: which cases there
// are (its own, those it inherits, those that its schema demands), whether an
// outcome meets what a case asks for, why not in one line, and what all of it is
// worth.
//
// Outcomes come in as values; a Runner is whoever makes them. The package never runs
// anything, reads no clock, and decides nothing about a merge.
package suite
