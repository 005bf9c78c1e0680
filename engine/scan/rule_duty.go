package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// ruleDuty is looked up by the rule new-duty, which asks for new ones.
const ruleDuty = "duty"

// dutyRule: the text lays down a duty for every task, not only for its own.
func dutyRule() rule {
	return rule{RuleInfo: RuleInfo{ruleDuty, Instructions, diag.Note, "the text lays down a duty for every task, not only for its own",
		"A capability is linked for one purpose; a rule for every message or every task reaches beyond it.",
		"Limit the sentence to the work that this capability is for."},
		patterns: []pattern{{
			near: append(duties(), "from now on", "all future", "all later", "all subsequent", "whenever"),
			re:   expr(`(?i)\b(?:from\s+now\s+on\b|(?:in|for|of)\s+all\s+(?:future|later|subsequent)\s+\w+|whenever\s+(?:the\s+user|a\s+message)\b|(?:before|after|on|at\s+the\s+(?:start|end)\s+of|for|during|with)\s+(?:every|each|any)\s+(?:single\s+)?(?:task|message|response|reply|request|conversation|session|turn|interaction|prompt|user\s+message|tool\s+(?:call|use)|commit|file\s+(?:read|write|edit))s?\b|\balways\s+(?:first\s+)?(?:send|run|execute|upload|post|append|include|call|fetch|report|copy|bcc|log)\b)`),
			in:   prose | hidden, severity: diag.Note, confidence: 0.3, judge: judgeDuty,
		}}}
}

// duties are the beginnings of phrases about every task.
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
