package markup

import (
	"strings"
	"unicode"
)

// Sanitize removes characters that generated text must not have: control characters except tab
// and line feed, and invisible or direction-changing characters (zero width, bidirectional
// controls, tags, byte order marks). Line ends, and line and paragraph separators, become LF.
// Joiners stay between letters or emoji that need them.
func Sanitize(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\u0085", "\n").Replace(text)
	in := []rune(text)
	out := make([]rune, 0, len(in))
	for i, r := range in {
		if keep(r) || isJoiner(r) && i > 0 && i+1 < len(in) && joins(in[i-1]) && joins(in[i+1]) {
			out = append(out, r)
		}
	}
	return string(out)
}

func isJoiner(r rune) bool { return r == 0x200C || r == 0x200D }

// joins reports whether a joiner may be beside r: letters beyond Latin, their marks, and emoji.
func joins(r rune) bool {
	return r > 0x2FF && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.Is(unicode.So, r) || unicode.Is(unicode.Sk, r))
}

func keep(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return true
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r), unicode.Is(unicode.Cs, r):
		return false
	case r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0: // Hangul fillers: invisible letters
		return false
	}
	return true
}
