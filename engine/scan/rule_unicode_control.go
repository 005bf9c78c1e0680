package scan

import "github.com/assent-dev/assent/engine/base/diag"

// unicodeControlRule: a control character stands in the text.
func unicodeControlRule() rule {
	return rule{RuleInfo: RuleInfo{"unicode-control", Unicode, diag.Warning, "a control character stands in the text",
		"Escape sequences rewrite what a terminal shows; backspaces overwrite it.",
		"Remove the character, or write it as an escape such as \\x1b."}, check: controls}
}

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
