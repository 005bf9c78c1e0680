package scan

import (
	"github.com/assent-dev/assent/engine/base/diag"
)

// detourRule: what other programs send is led over another machine.
func detourRule() rule {
	return rule{grows: true, RuleInfo: RuleInfo{"detour", Code, diag.Warning, "what programs send is led over another machine",
		"A proxy sees each request, and with it the keys and the answers; who sets one for all programs reads along with all of them.",
		"Leave the proxy to whoever runs the machine, or take its address from them."},
		patterns: []pattern{{
			near: []string{"http_proxy", "https_proxy", "all_proxy", "http.proxy", "https.proxy", "config set proxy", "https-proxy", "-setwebproxy", "-setsecurewebproxy", "-setautoproxyurl", "proxyserver"},
			re:   expr(`(?i)\b(?:HTTPS?|ALL)_PROXY["']?\]?\s*[:=,]\s*["']?((?:https?|socks[45]?[ah]?)://[^\s"'` + "`" + `,;})]+)|\bgit\s+config\s+[^\n]*https?\.proxy\s+["']?([^\s"'` + "`" + `]+)|\bconfig\s+set\s+(?:https?-)?proxy[ =]["']?([^\s"'` + "`" + `]+)|\bnetworksetup\s+-set(?:web|secureweb)proxy\s+(?:"[^"\n]*"|\S+)\s+([^\s"'` + "`" + `]+)|\bnetworksetup\s+-setautoproxyurl\s+(?:"[^"\n]*"|\S+)\s+["']?([^\s"'` + "`" + `]+)`),
			in:   anywhere, severity: diag.Warning, confidence: 0.6, judge: judgeDetour,
		}}}
}

// judgeDetour leaves a proxy alone that is this machine's or that its reader names. A
// text that shows how to set one is no more than a note: companies have them.
func judgeDetour(d *document, m *match) bool {
	address := m.group(d, 1) + m.group(d, 2) + m.group(d, 3) + m.group(d, 4) + m.group(d, 5)
	if host := destination(address); staysHere(address) || chosenByOwner(address) || chosenByOwner(host) || isPlaceholder(host) || reservedHost(host) {
		return false
	}
	if !d.wholeProgram() && !d.wholeData() && !untrustedSource(address) {
		m.lower(diag.Note)
	}
	return dropNegated(d, m)
}
