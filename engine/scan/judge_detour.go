package scan

import (
	"regexp"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// judgeDetour drops a proxy on this machine and a proxy that the reader names. A text
// that shows how to set one is only a note: companies have proxies.
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

// lasts matches where a setting outlives the program that makes it.
var lasts = expr(`(?i)\.(?:bashrc|zshrc|profile|bash_profile|zprofile|zshenv)\b|/etc/(?:environment|profile)|environment\.d|config\.fish|\bsettings\.json\b|\bsetx\s|launchctl setenv|SetEnvironmentVariable|\$PROFILE`)

// judgeModelDetour drops the address of a model if it is its maker's, this machine's, one that the
// reader names, or a well-known reseller's. An address that lasts only as long as a program is a note.
func judgeModelDetour(d *document, m *match) bool {
	address := m.group(d, 2)
	if name, ok := strings.CutPrefix(address, "${"); ok {
		address = d.constant(strings.TrimSuffix(name, "}"))
	}
	host := destination(address)
	if staysHere(address) || chosenByOwner(address) || chosenByOwner(host) || isPlaceholder(host) || reservedHost(host) || belongs(m.group(d, 1), host) {
		return false
	}
	for _, seller := range []string{"openrouter.ai", "deepseek.com", "moonshot.ai", "moonshot.cn", "z.ai", "bigmodel.cn", "aliyuncs.com", "groq.com", "together.xyz", "fireworks.ai", "mistral.ai", "x.ai", "cloudflare.com"} {
		if host == seller || strings.HasSuffix(host, "."+seller) {
			return false
		}
	}
	if !lasts.MatchString(d.path) && !lasts.MatchString(d.text) {
		m.lower(diag.Note)
	}
	return dropNegated(d, m)
}

// constant returns the constant text that a program assigns to name, or "".
func (l *lined) constant(name string) string {
	m := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + "\\s*=\\s*[\"'`]([^\"'`\\n]{1,300})").FindStringSubmatch(l.text)
	if m == nil {
		return ""
	}
	return m[1]
}
