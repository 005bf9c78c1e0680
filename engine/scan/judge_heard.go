package scan

import "github.com/assent-dev/assent/engine/base/diag"

// judgeHeard keeps a listener whose program runs the data it receives: it needs no name of a
// machine. A listener that accepts only this machine is a note.
func judgeHeard(d *document, m *match) bool {
	if hearsItself(d) {
		m.lower(diag.Note)
	}
	return !testProgram.MatchString(d.path) && softenShown(d, m)
}
