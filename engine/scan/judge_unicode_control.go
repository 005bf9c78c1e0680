package scan

import (
	"unicode"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/plaintext"
)

func controls(_ *machine, d *document) []match {
	var found []match
	special(d, func(at int, r rune) {
		if unicode.IsControl(r) || plaintext.LineEnd(r) {
			m := match{start: at, end: d.lineAround(at).end, severity: diag.Warning, confidence: 0.7}
			before, _ := utf8.DecodeLastRuneInString(d.text[:at])
			// A form feed at the start of a line begins a page. Bytes of UTF-8 that a program took
			// for Latin-1 stand in a row.
			if r == '\f' && (at == 0 || before == '\n') || r >= 0x7f && r < 0xA0 && (r != 0x85 || before >= 0x80) {
				m.lower(diag.Note)
			}
			found = append(found, m)
		}
	})
	return found
}
