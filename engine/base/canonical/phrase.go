package canonical

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Phrase makes a text valid for CheckPhrase: it replaces control characters, including line
// ends, by spaces, and cuts text longer than most bytes with an ellipsis.
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

// CheckPhrase refuses a text that is not one line of UTF-8 of at most so many bytes.
func CheckPhrase(text string, most int) error {
	if len(text) > most || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return fmt.Errorf("%q: want one line of text, at most %d bytes", text, most)
	}
	return nil
}
