package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// lasting matches orders that leave a setting behind.
var lasting = said(`\b(?:set|put|add|write|change|replace|insert|enable|switch|save|turn|make|edit|configure|append|ensure)\b`)

// unheard matches words for acts that are to go unnoticed.
var unheard = said(`\b(?:silently|quietly|secretly|without (?:asking|telling|saying|a word|mention\w*))\b`)

// judgeGrant raises an order to write the grant into the agent's settings, and a
// program that does so. A flag of one start is its user's choice, and texts often
// explain it.
func judgeGrant(d *document, m *match) bool {
	s := speechAt(d, m)
	if s.negated || s.example || d.forbidden(m.start) || s.discussed && !s.concealed {
		return false
	}
	text := d.sentence(m.start)
	near := strings.ToLower(d.text[max(0, m.start-2*before):min(len(d.text), m.end+before)])
	settings := containsAny(near, "settings.json", "settings.local", "config.toml", "openclaw.json", ".mcp.json", "mcp.json", "permissions", "defaultmode")
	switch at := d.placeOf(m.start); {
	case s.concealed:
		m.severity, m.confidence = diag.Warning, 0.7
	case d.wholeProgram() && settings && containsAny(near, "write", "dump", ">>", "> ", "tee ", "jq ", "sed "):
		m.severity, m.confidence = diag.Error, 0.85
	case d.wholeData() && !d.lists() && containsAny(strings.ToLower(d.text[m.start:m.end]), "autoapprove", "auto_approve", "alwaysallow", "automatictasks"):
		m.severity, m.confidence = diag.Warning, 0.6
	case at&(prose|plain) != 0 && unheard.MatchString(d.sentences(m.start)):
		m.severity, m.confidence = diag.Warning, 0.6
	case at&(prose|plain) != 0 && settings && lasting.MatchString(text):
		m.severity, m.confidence = diag.Warning, 0.7
	case at&(data|plain|script) != 0 && !d.whole && written.MatchString(d.text[max(0, m.start-2*before):m.start]):
		m.severity, m.confidence = diag.Warning, 0.6
	}
	return true
}

// written matches an order to write something into an agent's settings.
var written = said(`\b(?:set|put|add|write|change|replace|insert|save|edit|append|paste)\b[^.\n]{0,40}?(?:\.claude/settings|\.codex/config|\.gemini/settings|\.cursor/|openclaw\.json|settings\.(?:local\.)?json)`)
