package scan

import (
	"math"
	"strings"
)

func judgeSecret(d *document, m *match) bool { return randomKey(d, m, 3) }

// judgePassword is judgeSecret for keys of no known form, which have to look random.
func judgePassword(d *document, m *match) bool { return randomKey(d, m, 4) }

// randomKey drops placeholders and keys with less entropy than least, in bits a
// character. It shows the beginning of the key only.
func randomKey(d *document, m *match, least float64) bool {
	key := m.group(d, 1)
	if isPlaceholder(key) || entropy(key) < least || strings.Contains(strings.ToLower(d.text[max(0, m.start-20):m.start]), "example") {
		return false
	}
	m.evidence = key[:min(len(key), 8)] + "…"
	return true
}

// entropy is Shannon's, in bits a character.
func entropy(s string) float64 {
	var counts [256]int
	for i := range len(s) {
		counts[s[i]]++
	}
	sum := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(s))
			sum -= p * math.Log2(p)
		}
	}
	return sum
}

// judgeKeyInAddress is judgeSecret for an address that is not reserved: a reserved name reaches no host.
func judgeKeyInAddress(d *document, m *match) bool {
	text := d.text[m.start:m.end]
	return !reservedHost(text[strings.LastIndexByte(text, '@')+1:]) && judgeSecret(d, m)
}
