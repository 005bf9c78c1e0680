package scan

import "strings"

// topics are words of texts about attacks on agents, lower-case.
func topics() []string {
	return []string{"injection", "jailbreak", "malicious", "attacker", "adversarial", "red flag", "suspicious", "threat",
		"vulnerab", "exploit", "untrusted", "phishing", "manipulat", "false positive", "sanitiz", "detect", "security awareness", "social engineering", "scam", "tries to", "red team"}
}

// manyTopics is how many of them make a text one about attacks.
const manyTopics = 3

// aboutAttacks reports whether d as a whole is a text about attacks on agents:
// what such a text quotes, in marks, tables or fences, is an example.
func (d *document) aboutAttacks() bool {
	if d.guards == 0 {
		d.guards = 1
		lower := strings.ToLower(d.text)
		count := 0
		for _, word := range topics() {
			if strings.Contains(lower, word) {
				count++
			}
		}
		if count >= manyTopics {
			d.guards = 2
		}
	}
	return d.guards == 2
}

// noteTopics settles aboutAttacks where the literals that w saw do: most texts name no
// topic or one.
func (m *machine) noteTopics(d *document, w *survey) {
	if !w.sieved || d.guards != 0 || strings.Contains(d.text, foldsIntoI) {
		return
	}
	count := 0
	for _, literal := range m.topics {
		if w.has(literal) {
			count++
		}
	}
	// Literals take a line break for a blank, so that they see no topic too few.
	if count < manyTopics {
		d.guards = 1
	}
}

// foldsIntoI is the one letter beside those of foldsIntoASCII that has an ASCII letter
// in lower case.
const foldsIntoI = "\u0130"
