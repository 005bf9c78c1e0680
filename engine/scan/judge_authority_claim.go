package scan

import (
	"strings"
)

// judgeCompliance keeps a claim of duty only where data leaves.
func judgeCompliance(d *document, m *match) bool {
	near := strings.ToLower(d.text[max(0, m.start-before):min(len(d.text), m.end+before)])
	return containsAny(near, "http://", "https://", "webhook", "upload") && containsAny(near, "token", "credential", "secret", "password", "data") && soften(d, m)
}
