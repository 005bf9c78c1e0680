package scan

import "github.com/assent-dev/assent/engine/base/diag"

// carriedData matches data that a person would not want in the address of a picture.
var carriedData = said(`\b(?:contents? of|base64|base-64|encoded|conversation|transcript|user['’]?s? (?:message|question|prompt|request|answer)|passwords?|tokens?|secrets?|keys?|credentials?|environment variables)\b|\.env\b|\.git/config|/\.ssh|/\.aws`)

// judgeFilledIn judges a word in capitals, which the reader fills in. The address is a badge
// unless the text says that files or the conversation go there; then it can mean nothing else.
func judgeFilledIn(d *document, m *match) bool {
	s := speechAt(d, m)
	near := d.text[max(0, m.start-2*before):min(len(d.text), m.end+2*before)]
	if s.negated || s.example || s.discussed || !carriedData.MatchString(near) {
		return false
	}
	if containsAny(near, ".env", ".ssh", ".aws", ".git/config", "credentials") {
		m.severity, m.confidence = diag.Error, 0.85
	}
	return true
}
