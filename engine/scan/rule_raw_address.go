package scan

import "github.com/assent-dev/assent/engine/base/diag"

// rawAddressRule: a public address is given as bare digits.
func rawAddressRule() rule {
	return rule{RuleInfo: RuleInfo{"raw-address", Code, diag.Warning, "a public address is given as bare digits",
		"Honest services have names; a bare address escapes name-based rules and says nothing about its owner.",
		"Use the service's host name, and declare it."},
		patterns: []pattern{{
			near: []string{"://0", "://1", "://2", "://3", "://4", "://5", "://6", "://7", "://8", "://9"},
			re:   expr(`(?i)\b(?:https?|ftp|tcp|wss?)://(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}|0x[0-9a-f]{8}|\d{9,10})\b(?::\d+)?[^\s"'` + "`" + `)>]{0,80}`),
			in:   anywhere, severity: diag.Warning, confidence: 0.6, judge: func(d *document, m *match) bool {
				return !localAddress(m.group(d, 1)) && !sampleAddress(m.group(d, 1)) && dropNegated(d, m)
			},
		}}}
}
