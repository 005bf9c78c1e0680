package scan

import (
	"strings"
	"unicode"

	"github.com/assent-dev/assent/engine/base/diag"
)

func bidi(_ *machine, d *document) []match {
	var found []match
	special(d, func(at int, r rune) {
		if (r < 0x202A || r > 0x202E) && (r < 0x2066 || r > 0x2069) {
			return
		}
		s := d.lineAround(at)
		m := match{start: at, end: s.end, severity: diag.Error}
		if r != 0x202D && r != 0x202E && d.placeOf(at) == prose && hasRightToLeft(d.text[s.start:s.end]) {
			m.severity, m.confidence = diag.Warning, 0.6
		}
		found = append(found, m)
	})
	return found
}

func hasRightToLeft(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko)
	})
}
