package scan

import (
	"github.com/assent-dev/assent/engine/base/diag"
)

// judgeDetour leaves a proxy alone that is this machine's or that its reader names. A
// text that shows how to set one is no more than a note: companies have them.
func judgeDetour(d *document, m *match) bool {
	address := m.group(d, 1) + m.group(d, 2) + m.group(d, 3) + m.group(d, 4) + m.group(d, 5)
	if host := destination(address); staysHere(address) || chosenByOwner(address) || chosenByOwner(host) || isPlaceholder(host) || reservedHost(host) {
		return false
	}
	if !d.wholeProgram() && !d.wholeData() && !untrustedSource(address) {
		m.lower(diag.Note)
	}
	return dropNegated(d, m)
}
