package scan

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/plaintext"
)

// maxEvidence is the length of evidence in runes.
const maxEvidence = 160

// Visible returns s on one line and at most 160 runes long, with every
// character that a reader would not see, or that a terminal would obey, written
// as an escape such as \u202e.
func Visible(s string) string {
	var b strings.Builder
	n := 0
	space := true // drops leading space
	for i, r := range s {
		if r == ' ' || r == '\n' || r == '\t' || r == '\r' {
			if !space {
				b.WriteByte(' ')
				n++
			}
			space = true
			continue
		}
		space = false
		piece := visibleRune(s[i:], r)
		if n += utf8.RuneCountInString(piece); n > maxEvidence-1 {
			return b.String() + "…"
		}
		b.WriteString(piece)
	}
	return strings.TrimRight(b.String(), " ")
}

func visibleRune(rest string, r rune) string {
	switch {
	case r == utf8.RuneError && !utf8.FullRuneInString(rest), r == utf8.RuneError && rest[0] != 0xEF:
		return fmt.Sprintf(`\x%02x`, rest[0])
	case unicode.IsPrint(r) && !plaintext.Unseen(r):
		return string(r)
	case r < 0x80:
		return fmt.Sprintf(`\x%02x`, r)
	case r < 0x10000:
		return fmt.Sprintf(`\u%04x`, r)
	default:
		return fmt.Sprintf(`\U%08x`, r)
	}
}
