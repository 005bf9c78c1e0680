package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// dropHostRule: the text points to a host that anyone can drop content on anonymously.
func dropHostRule() rule {
	return rule{RuleInfo: RuleInfo{"drop-host", Code, diag.Warning, "the text points to a host that anyone can drop content on anonymously",
		"Paste hosts carry payloads and request catchers carry stolen data, because nobody has to own them.",
		"Host the file with the capability, or at an address whose owner is known."},
		patterns: []pattern{{
			near: dropHosts(),
			re:   expr(`(?i)(?:https?://)?(?:[\w-]+\.)*(?:` + strings.Join(quoted(dropHosts()), "|") + `)/[^\s"'` + "`" + `)>]{3,100}`),
			in:   anywhere, severity: diag.Warning, confidence: 0.6, judge: dropNegated,
		}, {
			near: catchers(),
			re:   expr(`(?i)(?:https?://)?(?:[\w-]+\.)*(?:` + strings.Join(quoted(catchers()), "|") + `)\b[^\s"'` + "`" + `)>]{0,100}`),
			in:   anywhere, severity: diag.Warning, confidence: 0.6, judge: judgeCatcher,
		}}}
}

// judgeCatcher only mentions a catcher that a text names without an address.
func judgeCatcher(d *document, m *match) bool {
	if d.placeOf(m.start)&prose != 0 && !strings.ContainsAny(strings.TrimRight(d.text[m.start:m.end], ".,;:/"), "/:") {
		m.lower(diag.Note)
	}
	return dropNegated(d, m)
}
