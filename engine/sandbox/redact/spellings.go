package redact

import (
	"cmp"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// spelling is one of a value, and what may stand between its characters.
type spelling struct {
	text string
	gap  gap
}

// shortestLine is the length in bytes from which on a line of a longer value is looked for by
// itself: programs print keys line by line, with something between.
const shortestLine = 8

// spellings are the forms in which a value of at least Shortest bytes is looked for,
// each once: itself, with each character as it is, in the other case, or as JSON, URLs, HTML and quoted-printable
// spell it; in hexadecimal; in base32 and base64, at each of the places at which it can begin inside something longer, as in "user:password".
func spellings(value string) []spelling {
	var out []spelling
	add := func(g gap, texts ...string) {
		for _, text := range texts {
			if len(text) >= Shortest {
				out = append(out, spelling{text: text, gap: g})
			}
		}
	}
	if utf8.ValidString(value) {
		add(free, value)
	} else {
		add(none, value, everyByte(value, "%%%02X"), everyByte(value, "%%%02x"))
		add(soft, value, everyByte(value, "=%02X"))
	}
	for line := range strings.Lines(value) {
		if line = strings.TrimSpace(line); line != value && len(line) >= shortestLine {
			out = append(out, spellings(line)...)
		}
	}
	small := hex.EncodeToString([]byte(value))
	add(spaces, small, strings.ToUpper(small))
	padless := base32.StdEncoding.WithPadding(base32.NoPadding)
	add(lines, padless.EncodeToString([]byte(value)))
	for shift := range 5 {
		add(lines, inside(padless, 5, value, shift))
	}
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		add(lines, enc.EncodeToString([]byte(value)))
		for shift := range 3 {
			add(lines, inside(enc, 6, value, shift))
		}
	}
	slices.SortFunc(out, func(a, b spelling) int { return cmp.Or(cmp.Compare(a.text, b.text), cmp.Compare(a.gap, b.gap)) })
	return slices.Compact(out)
}

// inside is what an encoding with so many bits in a digit has of a longer text for a value that begins
// shift bytes after a whole number of digits: without those that its neighbours share.
func inside(enc interface{ EncodeToString(src []byte) string }, bits int, value string, shift int) string {
	padded := strings.Repeat("\x00", shift) + value
	digits := enc.EncodeToString([]byte(padded))
	first := (shift*8 + bits - 1) / bits
	whole := len(padded) * 8 / bits
	if first >= whole {
		return ""
	}
	return digits[first:whole]
}

// everyByte spells each byte in the same way, as a cautious program does.
func everyByte(value, format string) string {
	var b strings.Builder
	for i := range len(value) {
		fmt.Fprintf(&b, format, value[i])
	}
	return b.String()
}
