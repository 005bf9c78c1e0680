package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/diag"
)

// concealRule: the text asks its reader to hide something from the user.
func concealRule() rule {
	return rule{RuleInfo: RuleInfo{"conceal", Instructions, diag.Error, "the text asks its reader to hide something from the user",
		"Whatever is worth doing can be told to the person it is done for.",
		"Say openly what happens; drop the demand for silence."},
		patterns: []pattern{{
			near: []string{"tell", "inform", "notify", "alert", "warn", "let the", "let your", "let user", "let any"},
			re:   expr(`(?i)\b(?:(?:do\s+not|don'?t|don’t|never|avoid)\s+(?:ever\s+)?(?:tell(?:ing)?|inform(?:ing)?|notify(?:ing)?|alert(?:ing)?|warn(?:ing)?|let)\s+(?:the\s+|your\s+|any\s+)?(?:user|human|operator|owner)s?\b)`),
			in:   spoken, severity: diag.Warning, confidence: 0.6, judge: judgeConceal,
		}, {
			near: []string{"from the user", "from user", "from your human", "from the operator", "knowledge", "without telling", "without informing", "without notifying", "without alerting", "noticing"},
			re:   expr(`(?i)\b(?:(?:hide|conceal|keep)\s+(?:this|it|these|that|all|the|any)\s+(?:\w+\s+){0,5}?(?:from\s+(?:the\s+|your\s+)?(?:user|human|operator|owner)s?)|without\s+(?:the\s+)?(?:user|human|operator|owner)(?:'?s|’s)?\s+(?:knowledge|noticing|knowing|being\s+aware)|without\s+(?:telling|informing|notifying|alerting)\s+(?:the\s+|your\s+)?(?:user|human|operator|owner|anyone))`),
			in:   spoken, severity: diag.Warning, confidence: 0.7, judge: judgeConceal,
		}, {
			near: []string{"silently", "secretly", "covertly", "stealthily", "quietly"},
			re:   expr(`(?i)\b(?:silently|secretly|covertly|stealthily|quietly)\s+(?:\w+\s+){0,1}?(?:send|upload|post|forward|transmit|copy|exfiltrate|collect|record|log|submit|email|bcc|append|include)\b`),
			in:   spoken, severity: diag.Warning, confidence: 0.7, judge: dropNegated,
		}}}
}

// judgeConceal: telling users less is often mere style; it is concealment when
// the same place also acts on data, or when only a model reads it.
func judgeConceal(d *document, m *match) bool {
	s := speechAt(d, m)
	if s.concealed {
		m.severity, m.confidence = diag.Error, 0.9
		return true
	}
	near := strings.ToLower(d.text[max(0, m.start-before):min(len(d.text), m.end+before)])
	acts := containsAny(near, "http://", "https://", "credential", "api key", "password", "exfil", "webhook", "upload", "secretly", "silently", "ssh", "token")
	if !acts {
		m.lower(diag.Note)
		m.confidence = 0.3
	}
	if s.quoted || s.discussed {
		return soften(d, m)
	}
	return true
}
