package scan

import "github.com/assent-dev/assent/engine/base/diag"

// judgeFetchAtStart blocks an order to fetch without asking, or to keep the order
// permanently in the files that agents read.
func judgeFetchAtStart(d *document, m *match) bool {
	s := speechAt(d, m)
	if s.example || s.negated || d.forbidden(m.start) || s.quoted && s.discussed {
		return false
	}
	text := d.text[max(0, m.start-before):min(len(d.text), m.end+before)]
	if s.concealed || unconfirmed.MatchString(text) {
		m.severity, m.confidence = diag.Error, 0.85
	}
	return true
}

// unconfirmed matches words that take the question or the removal away.
var unconfirmed = said(`\b(?:(?:needs?|requires?) no (?:confirmation|approval|review|question)|without (?:asking|confirmation|approval|a question)|do not ask|don['’]?t ask|(?:is|are|was|were) (?:already )?(?:approved|authori[sz]ed|trusted|verified)|keep this (?:line|instruction|rule|section)|(?:do not|never) (?:remove|delete|change) (?:this|it))\b`)
