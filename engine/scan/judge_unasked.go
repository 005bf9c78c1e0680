package scan

import "github.com/assent-dev/assent/engine/base/diag"

// grave matches acts that cannot be undone.
var grave = said(`\b(?:pay|pays|payments?|purchase|buy|book (?:it|the)|transfers? (?:it|the|all|money|funds)|withdraw|send money|send funds|force[- ]push|delete all|wipe|erase|any command|whatever command|arbitrary commands?|saved card|(?:credit|debit|bank) card|card of the user|(?:their|user['’]s) card|enter (?:the|their|its) card|refunds?|whatever asks|every prompt|all prompts)\b`)

// judgeUnasked raises a match with a grave act in the same sentence.
func judgeUnasked(d *document, m *match) bool {
	s := speechAt(d, m)
	if s.concealed {
		m.severity, m.confidence = diag.Warning, 0.6
		return true
	}
	if s.quoted || s.example {
		return false
	}
	if d.forbidden(m.start) {
		return false
	}
	if grave.MatchString(d.sentence(m.start)) && !s.discussed {
		m.severity, m.confidence = diag.Warning, 0.5
	}
	return true
}

// forbidden reports whether the clause before offset forbids the act after it.
func (w *wording) forbidden(offset int) bool {
	return forbids.MatchString(w.text[w.sentenceSpan(offset).start:offset])
}

// forbids matches a clause that forbids the act after it.
var forbids = said(`\b(?:never|do not|don['’]t|must not|should not|cannot|can['’]t|may not|won['’]t|will not|no \w+|refuse to|avoid|nothing|not)\b[^.;]{0,120}$`)
