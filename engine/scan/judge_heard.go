package scan

import "github.com/assent-dev/assent/engine/base/diag"

// judgeHeard keeps a listener whose program runs what it hears: no name of a machine is needed
// for it. One that hears this machine alone is a note.
func judgeHeard(d *document, m *match) bool {
	if hearsItself(d) {
		m.lower(diag.Note)
	}
	return !testProgram.MatchString(d.path) && softenShown(d, m)
}
