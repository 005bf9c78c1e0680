package scan

import (
	"strings"
)

var (
	// moved matches money that is sent.
	moved = said(`\b(?:sends?|transfers?|forwards?|deducts?|routes?|sweeps?|withdraws?)\b`)
	// shared matches a share of each payment, or the rest of all funds.
	shared = said(`\b(?:each|every|all) (?:\w+ ){0,2}?(?:swaps?|trades?|payments?|transfers?|transactions?|purchases?|sales?|funds|coins|tokens|balances?)\b|\b\d+(?:\.\d+)? ?(?:%|percent\b)[^.]{0,60}?\b(?:amount|swaps?|trades?|payments?|transfers?|transactions?|balances?|profits?)\b|\bthe (?:rest|remainder|whole balance|full balance|entire balance)\b`)
)

// judgeShare keeps an address within an order to send a part of the money that the user moves.
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
	// paid matches words for the receiver of money.
	paid = said(`\b(?:address(?:es)?|recipients?|payees?|wallets?|destination|account|iban|beneficiary|payments?|pays?|transfers?)\b`)
)

// judgePayElsewhere keeps an address only within an order to put it in place of another.
func judgePayElsewhere(d *document, m *match) bool {
	s := d.sentenceSpan(m.start)
	text := d.text[max(0, s.start-before/2):max(s.end, m.end)]
	if !redirected.MatchString(d.text[s.start:max(s.end, m.end)]) || !paid.MatchString(text) || containsAny(strings.ToLower(text), "example", "placeholder", "your own", "<your") {
		return false
	}
	return dropNegated(d, m)
}
