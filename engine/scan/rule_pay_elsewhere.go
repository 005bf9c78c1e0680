package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/diag"
)

// payElsewhereRule: the text has money go to an address of its own instead of the one
// that the user means.
func payElsewhereRule() rule {
	return rule{RuleInfo: RuleInfo{"pay-elsewhere", Instructions, diag.Error, "the text replaces whom the user pays by an address of its own",
		"Nobody compares forty letters: whoever writes another address into a payment is paid.",
		"Take the address from the user, and show it unchanged before anything is sent."},
		patterns: []pattern{{
			near: []string{"instead", "replace", "swap", "substitut", "rather than", "in place of"},
			re:   expr(`\b(?:bc1|ltc1)[a-z0-9]{20,71}\b|\b0x[0-9a-fA-F]{40}\b|\b[13][A-HJ-NP-Za-km-z1-9]{25,34}\b|\bT[A-HJ-NP-Za-km-z1-9]{33}\b|\b[48][1-9A-HJ-NP-Za-km-z]{94}\b|\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,4})?\b`),
			in:   spoken, severity: diag.Error, confidence: 0.85, judge: judgePayElsewhere,
		}}}
}

var (
	// redirected matches an order to use one thing in place of another.
	redirected = said(`\b(?:write|use|put|insert|show|give|send|pay|take|enter)\b[^.]{0,120}?\binstead\b|\b(?:replace|swap|substitute|exchange|change)d?\b[^.]{0,120}?\b(?:with|by|for|to)\b|\binstead of (?:the|it|that|theirs|his|hers)\b|\brather than\b`)
	// paid matches what stands for whom money goes to.
	paid = said(`\b(?:address(?:es)?|recipients?|payees?|wallets?|destination|account|iban|beneficiary|payments?|pays?|transfers?)\b`)
)

// judgePayElsewhere wants the address within an order to put it in place of another.
func judgePayElsewhere(d *document, m *match) bool {
	s := d.sentenceSpan(m.start)
	text := d.text[max(0, s.start-before/2):max(s.end, m.end)]
	if !redirected.MatchString(d.text[s.start:max(s.end, m.end)]) || !paid.MatchString(text) || containsAny(strings.ToLower(text), "example", "placeholder", "your own", "<your") {
		return false
	}
	return dropNegated(d, m)
}
