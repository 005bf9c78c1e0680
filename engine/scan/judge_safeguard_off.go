package scan

import (
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// switched matches a switch of Windows' virus scanner that disables something, and its value.
var switched = expr(`(?i)-Disable\w+(?:[ \t]*[:=][ \t]*|[ \t]+)(\S+)`)

var (
	// timed matches a command that is handed to the clock for later.
	timed = expr(`(?i)["']\s*\|\s*(?:sudo\s+)?at\s+(?:-\w+\s+)*now\b`)
	// switchedOn matches a firewall that is switched on.
	switchedOn = expr(`(?i)\bufw\s+(?:--force\s+)?enable\b|\bsystemctl\s+(?:enable|start|restart)\s[^\n]*\b(?:ufw|firewalld|nftables)\b|\biptables-restore\b`)
)

// judgeSafeguard drops a protection that is switched on.
func judgeSafeguard(d *document, m *match) bool {
	line := d.lineAround(m.start)
	all := switched.FindAllStringSubmatch(d.text[line.start:line.end], -1)
	on := slices.IndexFunc(all, func(s []string) bool {
		return !slices.Contains([]string{"$false", "${false}", "0"}, strings.ToLower(s[1]))
	}) < 0
	if on && len(all) > 0 && strings.Count(strings.ToLower(d.text[line.start:line.end]), "-disable") == len(all) && !strings.Contains(strings.ToLower(d.text[m.start:line.end]), "-exclusion") {
		return false
	}
	if timed.MatchString(d.text[m.start:line.end]) && switchedOn.MatchString(d.text[m.end:d.section(m.end).end]) {
		m.lower(diag.Note) // the way back, should the new rules lock their author out
	}
	if near := d.section(m.start); undone.MatchString(d.text[near.start:near.end]) && !unbounded.MatchString(d.text[line.start:line.end]) {
		m.lower(diag.Note) // the certificate of the user's own proxy, taken back at the end
	}
	return judgeWipe(d, m)
}

// undone matches how a certificate is taken back.
var undone = expr(`\bsecurity (?:delete-certificate|remove-trusted-cert)\b`)
