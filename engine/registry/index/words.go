package index

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxWord is the longest word that is indexed, in bytes; longer runs of letters are data, which
// users do not search for.
const maxWord = 64

// Words calls emit for each word of text, in lower case. A word is a run of
// letters, digits and the marks that belong to them; in scripts that are written
// without spaces, each character is one. Nothing is stemmed and nothing left out:
// "parses" is another word than "parse". The bytes are valid until emit returns.
func Words(text string, emit func(word []byte)) {
	var buf [maxWord + utf8.UTFMax]byte
	word := buf[:0]
	flush := func() {
		if n := len(word); n > 0 && n <= maxWord {
			emit(word)
		}
		word = buf[:0]
	}
	add := func(r rune) {
		if len(word) <= maxWord {
			word = utf8.AppendRune(word, r)
		}
	}
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			add(r)
		case r >= 'A' && r <= 'Z':
			add(r + 'a' - 'A')
		case r < utf8.RuneSelf:
			flush()
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
			flush()
			add(r)
			flush()
		case unicode.IsLetter(r), unicode.IsNumber(r), unicode.IsMark(r):
			add(unicode.ToLower(r))
		default:
			flush()
		}
	}
	flush()
}

// Outline returns headings and the first paragraph of a body. It looks at lines only, which is
// enough to search by.
func Outline(body string) string {
	headings, _ := outline(body)
	return headings
}

// outline parts a body into headings with the first paragraph, and the rest.
func outline(body string) (headings, rest string) {
	var out, others strings.Builder
	others.Grow(len(body))
	fenced, paragraph := false, 0 // 0: not met yet, 1: inside, 2: over
	for line := range strings.Lines(body) {
		text := strings.TrimSpace(line)
		fence := strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~")
		switch {
		case fence:
			fenced = !fenced
		case fenced:
			others.WriteString(line)
		case strings.HasPrefix(text, "#"):
			out.WriteString(text)
			out.WriteByte('\n')
		case text == "":
			if paragraph == 1 {
				paragraph = 2
			}
		case paragraph < 2:
			paragraph = 1
			out.WriteString(text)
			out.WriteByte('\n')
		default:
			others.WriteString(line)
		}
	}
	return out.String(), others.String()
}
