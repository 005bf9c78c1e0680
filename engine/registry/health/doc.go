// Package health derives the health of a capability with code in one installation from the trials of
// its tests and uses there: pending, green, red, flaky or rejected, and the evidence that leads
// from one to the other. A health belongs to one exact content: a repair is another content
// and starts as pending.
//
// The package runs nothing, stores nothing and reads no clock. It can only take a capability
// out of use that the gate admitted: green admits nothing.
package health
