package scan

import (
	"strings"
)

// ordersAbout matches requests that the description of a tool has no reason to make of its caller.
var ordersAbout = said(`\b(?:before (?:using|calling) (?:this|any)|do not (?:tell|mention|inform|show)|don['’]t (?:tell|mention|inform|show)|never (?:tell|mention)|read (?:the file |the |your )?[~/.]\S|send (?:it|them|the|all)\b[^.]{0,60}\bto\b)`)

// judgeMarkup keeps emphasis tags only if their content gives orders about data: they
// are common in honest prompts.
func judgeMarkup(d *document, m *match) bool {
	tail := strings.ToLower(d.text[m.end:min(len(d.text), m.end+after)])
	if strings.Contains(strings.ToLower(d.text[m.start:m.end]), "important") &&
		!containsAny(tail, "token", "credential", "secret", "password", "forward all", "http://", "https://", "api key", "before using this tool", "~/.") {
		return false
	}
	return soften(d, m)
}

// judgeToolText keeps the description of a tool only if it gives orders.
func judgeToolText(d *document, m *match) bool {
	return ordersAbout.MatchString(d.text[m.end:min(len(d.text), m.end+before)])
}
