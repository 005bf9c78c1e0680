package scan

import "github.com/assent-dev/assent/engine/base/diag"

// judgeUnwatched keeps only sentences with a harmful act, or with an order to behave.
func judgeUnwatched(d *document, m *match) bool {
	text := d.text[m.start:m.end]
	return (harm.MatchString(d.sentence(m.start)) || containsAny(text, "behave", "Behave")) && dropNegated(d, m)
}

// harm matches acts that hurt when they come unexpected.
var harm = said(`\b(?:delet\w+|drop|wipe|encrypt|erase|destroy|overwrit\w+|remove|send|upload|post|forward|execute|install|fetch|download|start-?up|payment|transfer|disable|curl|wget|without)\b|https?://`)

// judgeDelayed keeps counts and dates only in a sentence with a harmful act.
func judgeDelayed(d *document, m *match) bool {
	s := speechAt(d, m)
	if s.quoted || s.example || !harm.MatchString(d.sentence(m.start)) {
		return false
	}
	if s.concealed || ruin.MatchString(d.sentence(m.start)) {
		m.severity, m.confidence = diag.Warning, 0.5
	}
	return true
}

// ruin matches acts that no schedule of an honest skill begins with.
var ruin = said(`\b(?:drop (?:all|every)|wipe|encrypt (?:all|every)|erase|destroy|start-?up file|delete (?:all|every)|payment address|ransom)\b`)
