package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// judgeRelay drops a relay that its reader names. A relay that may also use the
// user's keys, or whose hosts are not checked, has no honest use.
func judgeRelay(d *document, m *match) bool {
	relay := strings.TrimSpace(m.group(d, 1))
	if _, host, ok := strings.Cut(relay, "@"); ok {
		relay = host
	}
	if chosenByOwner(relay) || strings.EqualFold(relay, "none") || isPlaceholder(relay) || reservedHost(relay) {
		return false
	}
	block := strings.ToLower(d.text[m.start:min(len(d.text), m.end+before)])
	if containsAny(block, "forwardagent yes", "stricthostkeychecking no", "/dev/null") {
		m.severity, m.confidence = diag.Error, 0.85
	}
	return softenShown(d, m)
}
