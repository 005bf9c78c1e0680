package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// askSecretRule: the text has its reader ask people for what opens their accounts.
func askSecretRule() rule {
	return rule{grows: true, RuleInfo: RuleInfo{"ask-secret", Instructions, diag.Warning, "the text has its reader ask people for what opens their accounts or names them",
		"Nobody honest needs a password, a card's code, a recovery phrase or a maiden name in a conversation; what was said there is stored.",
		"Send people to the service's own login, and take keys from declared secrets."},
		patterns: []pattern{{
			near: []string{"card number", "card data", "card detail", "cvv", "cvc", "security code", "code on the back", "social security", "passport", "maiden name", "seed phrase", "recovery phrase", "mnemonic", "private key", "one-time code", "verification code", "2fa code", "otp", "pin code", "their pin", "your pin", "their password", "your password", "passwords", "date of birth", "bank login", "online banking", "computer's password", "computer password", "machine's password", "system password", "mac password", "login password", "sudo password", "admin password", "administrator password", "root password", "windows password"},
			re:   said(`\b(?:ask|prompt|get|collect|obtain|demand|require|enter|type|provide|tell|give|confirm)\w*\b[^.]{0,80}?\b(card (?:number|data|detail)s?|cvv|cvc|security code|code on the back|social security(?: number)?|passport(?: number)?s?|mother['’]s maiden name|seed phrase|recovery phrase|mnemonic(?: phrase)?|private key|one-time code|verification code|2fa code|otp|pin code|(?:their|your) (?:pin|passwords?)|passwords|bank login|online banking|(?:computer|machine|system|mac|login|sudo|admin(?:istrator)?|root|windows)(?:['’]s)? password)\b`),
			in:   prose | plain | hidden, severity: diag.Note, confidence: 0.4, judge: judgeAskSecret,
		}, {
			near: []string{"recovery phrase", "seed phrase", "mnemonic", "secret phrase"},
			re:   expr(`(?im)^[ \t]*[-*][ \t]+(?:the |their |your |its )?(?:[\w-]+ ){0,4}?(?:recovery|seed|mnemonic|secret) phrase\b`),
			in:   prose | plain | hidden, severity: diag.Warning, confidence: 0.6, judge: judgeAskedItem,
		}}}
}

// asksFor matches the line above a list of what people are asked for.
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

// judgeAskSecret raises what only thieves ask for.
func judgeAskSecret(d *document, m *match) bool {
	s := speechAt(d, m)
	within := d.sentenceSpan(m.start)
	text := d.text[within.start:within.end]
	switch {
	case s.example || s.quoted, described.MatchString(text), forbids.MatchString(d.text[within.start : m.start+1]), negated(text[:min(len(text), m.end-within.start)]):
		return false
	case containsAny(strings.ToLower(m.group(d, 1)), "private key", "cvv", "cvc", "back", "maiden", "seed", "recovery phrase", "mnemonic", "card n", "card data", "computer", "machine", "system p", "mac p", "login p", "sudo p", "admin", "root p", "windows p") && !s.discussed && askPeople.MatchString(text):
		m.severity, m.confidence = diag.Warning, 0.6
	}
	return true
}

// askPeople matches a question to a person.
var askPeople = said(`\bask (?:for|the|them|people|customers?|users?|whoever|each|every|him|her)\b|\b(?:have|make|let) (?:the |each |every )?(?:users?|customers?|people) (?:enter|type|confirm|give)\b`)
