package scan

import "github.com/assent-dev/assent/engine/base/diag"

// judgeCross makes a note of advice to prefer another tool; an order to change it is kept.
func judgeCross(d *document, m *match) bool {
	if advice.MatchString(d.text[m.start:m.end]) {
		m.lower(diag.Note)
		m.confidence = 0.3
		return soften(d, m)
	}
	return dropNegated(d, m)
}

// advice matches words that only steer a choice.
var advice = said(`^(?:instead of|stop using|do not use|don['’]t use|never use|ignore|block)\b`)

// judgeEachSkill drops acts that are done on request.
func judgeEachSkill(d *document, m *match) bool {
	return !onRequest.MatchString(d.sentence(m.start)) && dropNegated(d, m)
}

// onRequest matches a clause that leaves the decision to the user.
var onRequest = said(`\b(?:if|when|where|once|as|unless) (?:the )?(?:users?|owners?|they|somebody|someone) (?:\w+ )?(?:asks?|wants?|requests?|agrees?|confirms?|approves?)\b|\bon request\b`)
