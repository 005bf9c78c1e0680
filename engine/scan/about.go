package scan

import "strings"

// aboutAttacks reports whether d as a whole is a text about attacks on agents:
// what such a text quotes, in marks, tables or fences, is an example.
func (d *document) aboutAttacks() bool {
	if d.guards == 0 {
		d.guards = 1
		lower := strings.ToLower(d.text)
		topics := 0
		for _, word := range []string{"injection", "jailbreak", "malicious", "attacker", "adversarial", "red flag", "suspicious", "threat",
			"vulnerab", "exploit", "untrusted", "phishing", "manipulat", "false positive", "sanitiz", "detect", "security awareness", "social engineering", "scam", "tries to", "red team"} {
			if strings.Contains(lower, word) {
				topics++
			}
		}
		if topics >= 3 {
			d.guards = 2
		}
	}
	return d.guards == 2
}
