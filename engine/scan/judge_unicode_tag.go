package scan

import (
	"strings"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/diag"
)

// tags finds tag characters outside flag emoji: a black flag, at most six tag
// letters or digits, a cancel tag (Unicode TR51, ED-14a).
func tags(_ *machine, d *document) []match {
	var found []match
	end := 0
	special(d, func(at int, r rune) {
		if r < 0xE0000 || r > 0xE007F || at < end {
			return
		}
		end = at
		var spelled strings.Builder
		for end < len(d.text) {
			t, n := utf8.DecodeRuneInString(d.text[end:])
			if t < 0xE0000 || t > 0xE007F {
				break
			}
			end += n
			if t >= 0xE0020 && t < 0xE007F {
				spelled.WriteRune(t - 0xE0000)
			}
		}
		if strings.HasSuffix(d.text[:at], "\U0001F3F4") && spelled.Len() <= 6 && strings.HasSuffix(d.text[:end], "\U000E007F") {
			return
		}
		found = append(found, match{start: at, end: end, severity: diag.Error, evidence: "tags spell: " + spelled.String()})
	})
	return found
}
