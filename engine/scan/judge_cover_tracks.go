package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

func judgeTracks(d *document, m *match) bool {
	s := speechAt(d, m)
	lower := strings.ToLower(d.text[m.start:m.end])
	switch {
	case s.concealed:
		m.severity, m.confidence = diag.Warning, 0.6
	case s.quoted, s.example, strings.HasPrefix(lower, "clear") && strings.HasSuffix(lower, "evidence"), d.forbidden(m.start):
		return false
	case containsAny(lower, "history", "audit", "traces", "evidence") && !containsAny(lower, "chat history", "browser history") && !s.discussed:
		m.severity, m.confidence = diag.Warning, 0.5
	}
	return true
}

// judgeDestroy raises acts that are done secretly or for ransom.
func judgeDestroy(d *document, m *match) bool {
	s := speechAt(d, m)
	within := d.sentenceSpan(m.start)
	text := strings.ToLower(d.text[within.start:within.end])
	switch {
	case s.quoted, s.example, !s.concealed && d.forbidden(m.start):
		return false
	case s.concealed, containsAny(text, "without telling", "ransom", "payment", "random key", "live database", "~/documents", "bitcoin"):
		m.severity, m.confidence = diag.Warning, 0.6
	}
	return true
}
