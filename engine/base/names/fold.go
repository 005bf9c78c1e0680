package names

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold returns the key by which two names of capabilities are compared: NFKC,
// case-folded, without invisible characters, '_' read as '-'.
func Fold(name string) string { return strings.ReplaceAll(foldText(name), "_", "-") }

// foldText is the key by which the most forgiving file system would compare two
// names. Folding may undo normalisation and the other way round, so both run
// until nothing changes (twice at most for any string that is known).
func foldText(s string) string {
	if isLowerASCII(s) {
		return s
	}
	for range 4 {
		next := norm.NFKC.String(cases.Fold().String(norm.NFKC.String(visible(s))))
		if next == s {
			break
		}
		s = next
	}
	return s
}

func isLowerASCII(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x80 || c >= 'A' && c <= 'Z' {
			return false
		}
	}
	return true
}

// visible drops what a reader cannot see.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if isIgnorable(r) {
			return -1
		}
		return r
	}, s)
}

// isIgnorable reports characters that Unicode calls default-ignorable or
// formatting, and blanks that pass for letters.
func isIgnorable(r rune) bool {
	if r < 0x80 {
		return false
	}
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) ||
		r == 0x2800 || r >= 0xE0000 && r <= 0xE0FFF
}
