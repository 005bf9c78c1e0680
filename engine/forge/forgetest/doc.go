// Package forgetest is what every forge must be able to do: one suite of tests
// that the embedded forge runs, and that an adapter for a hosted one runs against
// the real service, with no case left out and no exception for any of them.
//
// It asks only for what the contract in package forge says. It looks at a forge
// through its interface, at branches through plain Git, and never at how a forge
// stores what it is told.
package forgetest
