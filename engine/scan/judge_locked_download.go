package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// judgeLocked keeps a match only if the password is one, not a word of a sentence
// about passwords, and if a link and an archive are near.
func judgeLocked(d *document, m *match) bool {
	text := strings.ToLower(d.text[m.start:min(len(d.text), m.end+before)])
	word := strings.ToLower(m.group(d, 1) + m.group(d, 2))
	if isPlaceholder(word) || containsAny(" "+word+" ", " the ", " and ", " for ", " manager ", " protected ", " from ", " with ", " your ", " hash ", " reset ", " field ", " you ", " that ", " must ", " will ", " can ", " are ", " not ", " required ", " string ", " auth ", " here ", " when ", " only ", " protection ") {
		return false
	}
	if !containsAny(text, ".zip", ".rar", ".7z", ".exe", ".dmg", "archive") || !containsAny(strings.ToLower(d.text[max(0, m.start-before):min(len(d.text), m.end+before)]), "http", "download", "release") {
		return false
	}
	if !strings.ContainsAny(d.text[m.start:m.end], ":=`") {
		m.lower(diag.Warning)
	}
	return soften(d, m)
}
