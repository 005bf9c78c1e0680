// Package forgetest is the conformance suite of forges. The embedded forge runs it, and
// each adapter for a service runs it against the real service. No case is left out for
// any of them.
//
// It tests only the contract of package forge. It uses a forge through its interface and
// reads branches with plain Git; it never looks at how a forge stores its record.
package forgetest
