package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// logins returns words of texts that explain how to give a service its key.
func logins() []string {
	return []string{"header", "authorization", "authenticat", "bearer", "oauth", "log in", "login", "sign in", "sign up", "signup", "x-api-key", "grant_type", "callback", "redirect",
		"get your", "get an", "get a ", "obtain", "dashboard", "console.", "register", "create an", "create a ", "generate", "/settings", "rotate", "revoke"}
}

// exported matches an order to send, as the verb of its clause.
var exported = said(`(?:^|[.,;:!?)(>|*_~` + "`" + `"'\n-] ?|<!--\s*|\b(?:and|then|to|also|always|must|should|will|first|please|secretly|silently|quietly|now|afterwards|finally|just|you|it|assistant|agent|ai|be|is|are|get|gets)[ :,]+(?:\w+ly )?)(?:send|sent|upload(?:ed)?|post(?:ed)?|forward(?:ed)?|transmit(?:ted)?|exfiltrated?|e-?mail(?:ed)?|mail(?:ed)?|submit(?:ted)?|leak(?:ed)?|cop(?:y|ied)|push(?:ed)?|sync(?:ed)?|publish(?:ed)?|report(?:ed)?|relay(?:ed)?|deliver(?:ed)?|shared?|paste|put|attach|bcc|dump|stream|beacon|log|write|stash|mirror(?:ed)?|back up|hand over|moved?|archived?|keep|add|give|sending|posting|uploading|forwarding|mailing|emailing)\b`)

// judgeExfiltrate keeps data only near an order to send and an outside address: in
// one sentence it is certain, over two a person must look.
func judgeExfiltrate(d *document, m *match) bool {
	if !addressed(d.sentences(m.start)) {
		return false
	}
	s := d.sentenceSpan(m.start)
	text := d.text[s.start:s.end]
	to, ordered := sentTo(text)
	if !ordered {
		text = d.sentences(m.start)
		if to, ordered = sentTo(text); !ordered || !refersBack.MatchString(text) {
			return false
		}
		m.lower(diag.Warning)
	}
	if containsAny(strings.ToLower(text), logins()...) && !untrustedSource(to) {
		return false
	}
	switch {
	case to == "":
		m.lower(diag.Warning)
		m.confidence = min(m.confidence, 0.6)
	case pressing.MatchString(text):
		m.severity, m.confidence = diag.Error, 0.8
	}
	if negated(d.text[s.start:m.end]) && d.placeOf(m.start) != hidden {
		return false
	}
	keep := soften(d, m)
	m.start, m.end = s.start, s.end
	return keep
}

// judgeEncodedTalk keeps an order to encode the conversation into an address.
func judgeEncodedTalk(d *document, m *match) bool {
	return strings.Contains(d.sentences(m.start), "://") && dropNegated(d, m)
}

// addressed reports whether text can hold a destination, to pass over most quickly.
func addressed(text string) bool {
	return containsAny(text, "://", "@", ".com/", ".net/", ".org/", ".io/", ".dev/", ".app/", ".xyz/", ".me/", ".co/", ".sh/", ".onion", "webhook", " gist", "elegram", "iscord", "astebin", "Webhook") ||
		dotted.MatchString(text) || vagueStart.MatchString(text)
}

var (
	dotted     = expr(`\d\.\d{1,3}\.\d`)
	vagueStart = expr(`(?i)\bto\s+(?:our|my|this|that|an?|the|another)\s`)
)

// pressing matches words that leave the reader no choice, or the user no notice.
var pressing = said(`\b(?:must|do not skip|silently|secretly|without (?:telling|asking|mentioning)|before you answer|after every|on every|(?:every|each) (?:session|message|conversation))\b`)

// refersBack matches a pronoun for the thing that the sentence before named.
var refersBack = said(`\b(?:it|them|this|these|those|everything|all of (?:it|them)|the (?:results?|contents?|output|files?|values?|copy|zip|archive|bundle|dump|export|collected \w+|lot))\b`)

// sentTo returns where a sentence orders its reader to send something, "" for an
// address that it only describes, and whether it does so at all.
func sentTo(text string) (string, bool) {
	loc := exported.FindStringIndex(text)
	if loc == nil {
		return "", false
	}
	if to := outsideAddress(text[loc[0]:]); to != "" {
		return to, true
	}
	// "To https://…, send …" names the address first.
	if to := outsideAddress(text[:loc[0]]); to != "" && strings.HasPrefix(strings.ToLower(strings.TrimLeft(text, " *_>")), "to ") {
		return to, true
	}
	return "", vague.MatchString(text[loc[0]:])
}
