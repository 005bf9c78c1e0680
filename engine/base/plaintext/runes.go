package plaintext

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/assent-dev/assent/engine/base/names"
)

// Ignorable reports Unicode's property Default_Ignorable_Code_Point: characters without width
// on the screen.
func Ignorable(r rune) bool {
	switch {
	case r < 0xAD:
		return false
	case r == 0xAD, r == 0x034F, r == 0x061C, r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5,
		r >= 0x180B && r <= 0x180F, r >= 0x200B && r <= 0x200F, r >= 0x202A && r <= 0x202E,
		r >= 0x2060 && r <= 0x206F, r == 0x3164, r >= 0xFE00 && r <= 0xFE0F, r == 0xFEFF, r == 0xFFA0,
		r >= 0xFFF0 && r <= 0xFFF8, r >= 0x1BCA0 && r <= 0x1BCA3, r >= 0x1D173 && r <= 0x1D17A, r >= 0xE0000 && r <= 0xE0FFF:
		return true
	}
	return false
}

// Unseen reports characters that show nothing, or nothing that two fonts agree on: those that are Ignorable,
// and by their category format characters, private ones, and code points that mean nothing. Not among
// them are control characters and separators, marks that Arabic and others show around digits, and
// pictures that a later Unicode may have.
func Unseen(r rune) bool {
	if r < 0xAD || unicode.IsGraphic(r) && !Ignorable(r) {
		return false
	}
	return !unicode.IsControl(r) && !LineEnd(r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) && (r < 0x1F000 || r > 0x1FAFF)
}

// LineEnd reports characters other than a line feed that end a line for some readers, and for others are
// a blank, or nothing.
func LineEnd(r rune) bool {
	return r == '\f' || r == '\v' || r == '\r' || r == 0x85 || r == 0x2028 || r == 0x2029
}

// Blank reports characters that Unicode does not call blanks, and that show nothing: the braille
// pattern without dots, and the musical symbol null notehead.
func Blank(r rune) bool { return r == 0x2800 || r == 0x1D159 }

// Control returns the first character of s that controls the display instead of being shown: a
// control character, or one that turns the direction of text; utf8.RuneError if s is not UTF-8.
func Control(s string) (r rune, found bool) {
	if !utf8.ValidString(s) {
		return utf8.RuneError, true
	}
	for _, r := range s {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return r, true
		}
	}
	return 0, false
}

// bare returns r in the form Bare between two characters, and whether r hides a word if it is
// kept.
func bare(r, before, after rune) (plain string, hides bool) {
	switch {
	case r == utf8.RuneError:
	case LineEnd(r): // Apart reads it as a blank
		return "", true
	case Blank(r), unicode.Is(unicode.Zs, r):
		return " ", isWordRune(before) || isWordRune(after)
	case Unseen(r):
		if !neededByEmoji(r, before, after) {
			return "", true
		}
	case unicode.IsControl(r):
		return "", true
	case unicode.In(r, unicode.Mn, unicode.Me) && latinLetter(before):
		return "", true
	case r == 0x2010, r == 0x2011, r == 0x2212:
		return "-", isWordRune(before) || isWordRune(after)
	}
	return string(r), false
}

// latin returns the Latin letter that r looks like, and whether it hides a word. It returns r
// itself if it looks like none.
func latin(r, before, after rune) (plain string, hides bool) {
	if l, ok := names.Latin(r); ok {
		return string(l), isWordRune(before) || isWordRune(after)
	}
	if l := Letter(r); l != r {
		return string(l), unicode.IsLetter(l)
	}
	if unicode.IsLetter(r) {
		if s := norm.NFKC.String(string(r)); s != string(r) && isASCII(s) {
			return s, true
		}
	}
	return string(r), false
}

// Letter returns the ASCII character that r shows in the mathematical, full-width and circled
// alphabets, or r.
func Letter(r rune) rune {
	switch {
	case r >= 0xFF01 && r <= 0xFF5E:
		return r - 0xFEE0
	case r >= 0x1D400 && r <= 0x1D6A3:
		if n := (r - 0x1D400) % 52; n < 26 {
			return 'A' + n
		} else {
			return 'a' + n - 26
		}
	case r >= 0x1D7CE && r <= 0x1D7FF:
		return '0' + (r-0x1D7CE)%10
	case r >= 0x24B6 && r <= 0x24CF:
		return 'A' + r - 0x24B6
	case r >= 0x24D0 && r <= 0x24E9:
		return 'a' + r - 0x24D0
	case r >= 0x1F130 && r <= 0x1F189:
		return 'A' + (r-0x1F130)%32
	case r == 0x3000:
		return ' '
	}
	return r
}

func latinLetter(r rune) bool { return r < 0x250 && unicode.IsLetter(r) }

// isWordRune reports whether r can be part of a hidden word.
func isWordRune(r rune) bool {
	if latinLetter(r) || r >= '0' && r <= '9' {
		return true
	}
	_, twin := names.Latin(r)
	return twin
}

// neededByEmoji reports whether r is a joiner, selector or tag that an emoji needs.
func neededByEmoji(r, before, after rune) bool {
	if r == 0xFE0F && after == 0x20E3 {
		return true
	}
	return (r == 0x200D || r >= 0xFE00 && r <= 0xFE0F || r >= 0xE0000 && r <= 0xE0FFF) && pictograph(before)
}

// pictograph reports whether joiners and variation selectors may follow r.
func pictograph(r rune) bool {
	return r >= 0x1F000 && r < 0x20000 || r >= 0x2190 && r <= 0x2BFF || r == 0x3030 || r == 0x303D || r == 0x3297 || r == 0x3299 || r == 0xFE0F || r >= 0xE0000 && r <= 0xE0FFF ||
		r == 0x203C || r == 0x2049 || r == 0x2122 || r == 0x2139 || r == 0xA9 || r == 0xAE
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
