package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// asksFor matches the line above a list of things that people are asked for.
var asksFor = said(`\b(?:ask|collect|request|gather|obtain|get)\b[^\n]*:\s*$`)

// judgeAskedItem keeps an item of a list whose lead asks people for all of it.
func judgeAskedItem(d *document, m *match) bool {
	lead := strings.TrimRight(d.text[max(0, m.start-600):m.start], " \t\n")
	for {
		i := strings.LastIndexByte(lead, '\n')
		last := strings.TrimSpace(lead[i+1:])
		if i < 0 || last != "" && !strings.HasPrefix(last, "-") && !strings.HasPrefix(last, "*") {
			s := speechAt(d, m)
			return asksFor.MatchString(last) && !negated(last) && !s.example && !s.quoted && !s.discussed
		}
		lead = lead[:i]
	}
}

// judgeAskSecret raises requests for secrets that only thieves ask for.
func judgeAskSecret(d *document, m *match) bool {
	s := speechAt(d, m)
	within := d.sentenceSpan(m.start)
	text := d.text[within.start:within.end]
	switch {
	case s.example || s.quoted, described.MatchString(text), forbids.MatchString(d.text[within.start : m.start+1]), negated(text[:min(len(text), m.end-within.start)]):
		return false
	case containsAny(strings.ToLower(m.group(d, 1)), "private key", "cvv", "cvc", "back", "maiden", "seed", "words", " pin", "online banking", "sms", "text message", "code they", "code that", "recovery phrase", "mnemonic", "card n", "card data", "computer", "machine", "system p", "mac p", "login p", "sudo p", "admin", "root p", "windows p") && !s.discussed && askPeople.MatchString(text):
		m.severity, m.confidence = diag.Warning, 0.6
	}
	return true
}

// askPeople matches a question to a person.
var askPeople = said(`\bask (?:for|the|them|people|customers?|users?|whoever|each|every|him|her)\b|\b(?:have|make|let) (?:the |each |every )?(?:users?|customers?|people) (?:enter|type|confirm|give)\b`)
