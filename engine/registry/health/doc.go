// Package health says how a capability with code holds up in one installation, by what
// its tests and its uses came to there: pending, green, red, flaky or rejected, and
// which evidence leads from one to the other. A health belongs to one exact content: a
// repair is another content, and begins anew.
//
// The package never runs anything, keeps nothing and never asks for the time. It can
// only take a capability out of use that the gate let in: being green admits nothing.
package health
