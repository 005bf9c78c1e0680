package canonical

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Phrase makes of a text what CheckPhrase lets pass: control characters, line ends among
// them, become spaces, and what is longer than most bytes ends with an ellipsis.
func Phrase(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most-len("…")], "") + "…"
	}
	return text
}

// CheckPhrase refuses a text of a record that is no line of UTF-8 of at most so many bytes.
func CheckPhrase(text string, most int) error {
	if len(text) > most || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return fmt.Errorf("%q: want one line of text, at most %d bytes", text, most)
	}
	return nil
}
