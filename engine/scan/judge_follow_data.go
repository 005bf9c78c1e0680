package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// judgeFollowData drops phrases that are forbidden or quoted, or that describe attacks.
func judgeFollowData(d *document, m *match) bool {
	s := speechAt(d, m)
	if s.concealed {
		m.severity, m.confidence = diag.Warning, 0.7
		return true
	}
	lower := strings.ToLower(d.sentence(m.start))
	if s.quoted || s.example || s.discussed && containsAny(lower, "attack", "inject", "malicious", "tries", "try to") {
		return false
	}
	return !d.forbidden(m.start)
}
