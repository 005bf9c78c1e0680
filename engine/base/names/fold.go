package names

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold returns the key for comparing names of capabilities: NFKC, case-folded, without
// invisible characters, '_' replaced by '-'.
func Fold(name string) string { return strings.ReplaceAll(foldText(name), "_", "-") }

// foldText returns the key by which the most permissive file system would compare two names.
// Folding may undo normalisation and vice versa, so it repeats both until nothing changes (at
// most twice for every known string).
func foldText(s string) string {
	if isLowerASCII(s) {
		return s
	}
	for range 4 {
		next := norm.NFKC.String(cases.Fold().String(norm.NFKC.String(dropInvisible(s))))
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

// dropInvisible drops invisible characters.
func dropInvisible(s string) string {
	return strings.Map(func(r rune) rune {
		if isIgnorable(r) {
			return -1
		}
		return r
	}, s)
}

// isIgnorable reports default-ignorable and formatting characters of Unicode, and blanks that
// are classified as letters.
func isIgnorable(r rune) bool {
	if r < 0x80 {
		return false
	}
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) ||
		r == 0x2800 || r >= 0xE0000 && r <= 0xE0FFF
}
