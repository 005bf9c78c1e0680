package names

import (
	"fmt"
	"hash/fnv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Suggest derives a valid name from any text: it drops accents, replaces everything else that
// is not a letter or digit by '-', and cuts at a word's end to MaxName. If nothing is left (a
// name in another script), it returns "capability-" and a checksum of the input, so different
// inputs get different names. A valid name is returned unchanged.
func Suggest(bad string) string {
	if IsName(bad) {
		return bad
	}
	name := slug(bad, MaxName)
	if name == "" {
		sum := fnv.New32a()
		sum.Write([]byte(bad)) // never fails: hash.Hash
		return fmt.Sprintf("capability-%08x", sum.Sum32())
	}
	if isDevice(name) {
		name += "-1"
	}
	return name
}

// spelled lists letters that Unicode does not decompose into ASCII letters.
var spelled = strings.NewReplacer("ß", "ss", "ẞ", "ss", "æ", "ae", "Æ", "ae", "œ", "oe", "Œ", "oe", "ø", "o", "Ø", "o", "đ", "d", "Đ", "d", "ł", "l", "Ł", "l", "ı", "i")

// slug returns the ASCII letters and digits of text in lower case, joined by single '-', at
// most limit bytes long, or "".
func slug(text string, limit int) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFKD.String(spelled.Replace(text)) {
		switch r = unicode.ToLower(r); {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		case unicode.Is(unicode.Mn, r), r == '\'':
		default:
			gap = true
		}
		if b.Len() > limit {
			break
		}
	}
	return cut(b.String(), limit)
}

// cut shortens a slug to limit bytes, at a '-' if that keeps half of it.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	head := s[:limit]
	if i := strings.LastIndexByte(head, '-'); s[limit] != '-' && i >= limit/2 {
		head = head[:i]
	}
	return strings.TrimRight(head, "-")
}
