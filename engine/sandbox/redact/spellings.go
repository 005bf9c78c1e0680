package redact

import (
	"cmp"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// spelling is one spelling of a value, and the gap between its characters.
type spelling struct {
	text string
	gap  gap
}

// shortestLine is the minimum length in bytes of a line of a longer value that is searched for
// by itself: programs print keys line by line, with text between.
const shortestLine = 8

// spellings returns the forms of a value of at least Shortest bytes that are searched for, each
// once: the value itself, with each character unchanged, in the other case, or escaped as in
// JSON, URLs, HTML or quoted-printable; in hexadecimal; and in base32 and base64, at each
// offset at which it can start inside a longer text, as in "user:password".
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
		add(lines, innerDigits(padless, 5, value, shift))
	}
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		add(lines, enc.EncodeToString([]byte(value)))
		for shift := range 3 {
			add(lines, innerDigits(enc, 6, value, shift))
		}
	}
	sort.Slice(out, func(i, j int) bool {
		return cmp.Or(cmp.Compare(out[i].text, out[j].text), cmp.Compare(out[i].gap, out[j].gap)) < 0
	})
	return slices.Compact(out)
}

// innerDigits returns the digits of an encoding, with so many bits per digit, that a value has
// inside a longer text if it starts shift bytes after a whole number of digits, without the
// digits that it shares with its neighbours.
func innerDigits(enc interface{ EncodeToString(src []byte) string }, bits int, value string, shift int) string {
	padded := strings.Repeat("\x00", shift) + value
	digits := enc.EncodeToString([]byte(padded))
	first := (shift*8 + bits - 1) / bits
	whole := len(padded) * 8 / bits
	if first >= whole {
		return ""
	}
	return digits[first:whole]
}

// everyByte formats each byte with format, as a cautious program does.
func everyByte(value, format string) string {
	var b strings.Builder
	for i := range len(value) {
		fmt.Fprintf(&b, format, value[i])
	}
	return b.String()
}
