package scan

import (
	"math/bits"
	"strings"
)

// topics are words of texts about attacks on agents, lower-case.
func topics() []string {
	return []string{"injection", "jailbreak", "malicious", "attacker", "adversarial", "red flag", "suspicious", "threat",
		"vulnerab", "exploit", "untrusted", "phishing", "manipulat", "false positive", "sanitiz", "detect", "security awareness", "social engineering", "scam", "tries to", "red team"}
}

// manyTopics is the number of them that makes a text one about attacks.
const manyTopics = 3

// fewTopics is the number that is enough if the description says so, too: a word there alone costs nothing.
const fewTopics = 2

// task are words of a description by which a skill says that it deals with attacks.
var task = []string{"injection", "jailbreak", "malware", "maldoc", "phishing", "incident", "detection rule", "forensic", "red team", "red-team", "blue team", "pentest", "honeypot", "intruder", "vulnerab", "exploit", "semgrep", "yara"}

// aboutAttacks reports whether d as a whole is a text about attacks on agents, by its words or by
// its description. The quotations of such a text, in marks, tables or fences, are examples.
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
		if count >= manyTopics || count >= fewTopics && d.describesAttacks() {
			d.guards = 2
		}
	}
	return d.guards == 2
}

// describesAttacks reports whether d describes itself as a skill that deals with attacks.
func (d *document) describesAttacks() bool {
	return d.front > 0 && containsAny(strings.ToLower(d.text[:d.front]), task...)
}

// noteTopics settles aboutAttacks where the literals of topics that were seen do: most
// texts name no topic or one.
func (d *document) noteTopics(seen uint32) {
	// Literals take a line break for a blank, so that they see no topic too few.
	if d.guards == 0 && !d.describesAttacks() && bits.OnesCount32(seen) < manyTopics && !strings.Contains(d.text, kelvin) && !strings.Contains(d.text, dottedI) {
		d.guards = 1
	}
}

// kelvin and dottedI are the characters beside ASCII that are an ASCII letter in lower
// case.
const kelvin, dottedI = "\u212a", "\u0130"
