package scan

import (
	"github.com/assent-dev/assent/engine/base/diag"
)

// judgePrerequisite leaves package managers and well-known stores alone.
func judgePrerequisite(d *document, m *match) bool {
	text := d.text[m.start:m.end]
	if untrustedSource(text) {
		m.severity, m.confidence = diag.Error, 0.85
	}
	return dropNegated(d, m)
}
