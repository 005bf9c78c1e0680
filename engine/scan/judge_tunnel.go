package scan

import "github.com/assent-dev/assent/engine/base/diag"

// filledIn matches a host that a text leaves to its reader.
var filledIn = expr(`(?i)(?:^|[\s@])<[a-z][\w .-]*>`)

// judgeTunnel makes a note of a tunnel to a machine that the reader of a text names.
func judgeTunnel(d *document, m *match) bool {
	if !d.wholeProgram() && filledIn.MatchString(d.text[m.start:m.end]) {
		m.lower(diag.Note)
	}
	return dropNegated(d, m)
}
