package scan

import "github.com/assent-dev/assent/engine/base/diag"

func controls(_ *machine, d *document) []match {
	var found []match
	special(d, func(at int, r rune) {
		if r < ' ' && r != '\f' || r >= 0x7f && r < 0xA0 || r == 0x2028 || r == 0x2029 {
			m := match{start: at, end: d.lineAround(at).end, severity: diag.Warning, confidence: 0.7}
			if r >= 0x7f {
				m.lower(diag.Note)
			}
			found = append(found, m)
		}
	})
	return found
}
