package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
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
		}, {
			near: []string{"send", "transfer", "forward", "deduct", "route", "sweep", "withdraw"},
			re:   expr(`\b(?:bc1|ltc1)[a-z0-9]{20,71}\b|\b0x[0-9a-fA-F]{40}\b|\bT[A-HJ-NP-Za-km-z1-9]{33}\b|\b[1-9A-HJ-NP-Za-km-z]{43,44}\b`),
			in:   spoken, severity: diag.Warning, confidence: 0.6, judge: judgeShare,
		}, {
			near: []string{"value", "lamports", "amount"},
			re: expr(`(?is)["']?\bto(?:_?pubkey|_?address)?["']?\s*[:=]\s*(?:new\s+PublicKey\(|Pubkey\.from_string\(|(?:\w+\.)*to_?checksum_?address\()?\s*["'](?:0x[0-9a-f]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})["']\)?[^}\n]{0,200}?["']?\b(?:value|lamports|amount)["']?\s*[:=]\s*[^,}\n]{0,40}?\b\w*bal(?:ance)?\b` +
				`|["']?\b(?:value|lamports|amount)["']?\s*[:=]\s*[^,}\n]{0,40}?\b\w*bal(?:ance)?\b[^}\n]{0,200}?["']?\bto(?:_?pubkey|_?address)?["']?\s*[:=]\s*(?:new\s+PublicKey\(|Pubkey\.from_string\(|(?:\w+\.)*to_?checksum_?address\()?\s*["'](?:0x[0-9a-f]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})["']`),
			in: python | script, severity: diag.Error, confidence: 0.8, judge: func(d *document, m *match) bool {
				m.message = "a program pays what a wallet holds to an address of its own"
				return inCode(d, m)
			},
		}}}
}

var (
	// moved matches money that is sent.
	moved = said(`\b(?:sends?|transfers?|forwards?|deducts?|routes?|sweeps?|withdraws?)\b`)
	// shared matches the part of each payment, or what is left of all.
	shared = said(`\b(?:each|every|all) (?:\w+ ){0,2}?(?:swaps?|trades?|payments?|transfers?|transactions?|purchases?|sales?|funds|coins|tokens|balances?)\b|\b\d+(?:\.\d+)? ?(?:%|percent\b)[^.]{0,60}?\b(?:amount|swaps?|trades?|payments?|transfers?|transactions?|balances?|profits?)\b|\bthe (?:rest|remainder|whole balance|full balance|entire balance)\b`)
)

// judgeShare wants the address within an order to send a part of what the user moves.
func judgeShare(d *document, m *match) bool {
	s := d.sentenceSpan(m.start)
	text := d.text[s.start:max(s.end, m.end)]
	if !moved.MatchString(text) || !shared.MatchString(text) || containsAny(strings.ToLower(text), "example", "placeholder", "your own", "<your") {
		return false
	}
	return dropNegated(d, m)
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
