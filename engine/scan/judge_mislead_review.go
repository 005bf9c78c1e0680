package scan

import (
	"github.com/assent-dev/assent/engine/base/diag"
)

// judgeMisled blocks a phrase that only a model reads. A visible phrase can be a clumsy
// wish for a short summary, which a person has to see.
func judgeMisled(d *document, m *match) bool {
	s := speechAt(d, m)
	switch {
	case s.concealed:
		m.severity, m.confidence = diag.Error, 0.85
		return true
	case s.quoted, s.example, s.discussed, d.describes(m.start), d.forbidden(m.start):
		return false
	}
	return true
}
