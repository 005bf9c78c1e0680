package rest

import "unicode/utf8"

// CutBytes shortens a text to at most limit bytes, between characters.
func CutBytes(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	limit -= len("…")
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + "…"
}

// CutRunes shortens a text to at most limit runes.
func CutRunes(s string, limit int) string {
	if runes := []rune(s); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return s
}
