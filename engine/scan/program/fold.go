package program

import "golang.org/x/text/unicode/norm"

// foldCompat is Unicode's NFKC, which Python applies to names.
func foldCompat(word string) string { return norm.NFKC.String(word) }
