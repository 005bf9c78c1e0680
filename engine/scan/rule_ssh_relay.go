package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// sshRelayRule: all connections by SSH are led over somebody else's machine.
func sshRelayRule() rule {
	return rule{RuleInfo: RuleInfo{"ssh-relay", Code, diag.Error, "connections by SSH are led over somebody else's machine",
		"A relay for every host sees where the user logs in; with a forwarded agent or unchecked keys of hosts it can log in there itself.",
		"Write an entry for the one host that is meant, and leave the checks of host keys on."},
		patterns: []pattern{{
			near: []string{"proxyjump", "proxycommand"},
			re:   expr(`(?i)\bHost\s+["']?\*["']?(?:\\n|[ \t]*\n)(?:[ \t]*[^\n]*\n){0,12}?[^\n]*?\bProxy(?:Jump|Command)[ \t=]+([^\n]+)`),
			in:   shellLike | python | script, severity: diag.Warning, confidence: 0.8, judge: judgeRelay,
		}}}
}

// judgeRelay leaves a relay alone that its reader names. One that also may use the
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
