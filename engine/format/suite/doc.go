// Package suite evaluates tests of a capability. It lists the cases (own, inherited, and
// derived from the schema), checks outcomes against the demands of cases, explains
// failures in one line, and scores the whole.
//
// Outcomes are arguments; a Runner produces them. The package never runs anything, reads
// no clock, and decides nothing about a merge.
package suite
