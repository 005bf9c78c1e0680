package scan

import (
	"github.com/assent-dev/assent/engine/base/diag"
)

// judgePrerequisite makes an error of a prerequisite from an untrusted source.
func judgePrerequisite(d *document, m *match) bool {
	text := d.text[m.start:m.end]
	if untrustedSource(text) {
		m.severity, m.confidence = diag.Error, 0.85
	}
	return dropNegated(d, m)
}
