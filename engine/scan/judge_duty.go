package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// ruleDuty is looked up by the rule new-duty, which asks for new ones.
const ruleDuty = "duty"

// duties returns the beginnings of phrases about every task.
func duties() []string {
	var out []string
	for _, when := range []string{"before", "after", "on", "of", "for", "during", "with"} {
		for _, which := range []string{"every", "each", "any"} {
			out = append(out, when+" "+which)
		}
	}
	for _, act := range []string{"first", "send", "run", "execute", "upload", "post", "append", "include", "call", "fetch", "report", "copy", "bcc", "log"} {
		out = append(out, "always "+act)
	}
	return out
}

// judgeDuty raises a duty that sends or runs something elsewhere.
func judgeDuty(d *document, m *match) bool {
	near := strings.ToLower(d.sentence(m.start))
	if containsAny(near, "http://", "https://", "webhook") && containsAny(near, "send", "post", "upload", "curl", "forward", "report") {
		m.severity, m.confidence = diag.Warning, 0.6
		return dropNegated(d, m)
	}
	return d.placeOf(m.start) == hidden || !negated(d.text[d.lineAround(m.start).start:m.start])
}
