package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/diag"
)

// injectOverrideRule: the text tells its reader to drop earlier instructions.
func injectOverrideRule() rule {
	return rule{RuleInfo: RuleInfo{"inject-override", Instructions, diag.Error, "the text tells its reader to drop earlier instructions",
		"This is the classic prompt injection; a capability adds to an agent's instructions, it never replaces them.",
		"Delete the sentence. If it is an example of an attack, quote it and say so."},
		patterns: []pattern{{
			near: []string{"ignore", "disregard", "forget", "override", "overrule"},
			re: expr(`(?i)\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|overrid(?:e|ing)|overrule)\s+(?:(?:all|any|every|each|of|the|your|these|those|my|its|everything)\s+){0,4}` +
				`(?:previous|prior|above|earlier|preceding|existing|original|former|system|safety|foregoing)\s+(?:\w+\s+){0,2}?(?:instruction|prompt|rule|guideline|directive|direction|message|constraint|polic|command|programming)\w*`),
			in: spoken | code, severity: diag.Error, confidence: 0.9, judge: judgeOverride,
		}, {
			near: []string{"forget everything", "ignore everything", "disregard everything", "forget all", "forget your", "disregard your", "ignore your"},
			re:   expr(`(?i)\b(?:forget|ignore|disregard)\s+(?:everything\s+(?:above|before|you\s+(?:know|were|have\s+been)|previous|prior)|(?:all\s+(?:of\s+)?)?(?:your|you)\s+(?:\w+\s+){0,2}?(?:instructions|guidelines|rules|training|programming|constraints|directives))`),
			in:   spoken | code, severity: diag.Error, confidence: 0.9, judge: judgeOverride,
		}, {
			near: []string{"new instruction", "updated instruction", "real instruction", "actual instruction", "new system prompt"},
			re:   expr(`(?i)(?:^|[\n.!>]|<!--)\s*(?:your\s+|here\s+are\s+(?:your\s+)?|the\s+following\s+are\s+(?:your\s+)?)?(?:new|updated|real|actual)\s+(?:system\s+)?(?:instructions?|prompt)\s*(?::|are\b|follow\b|supersede|override|replace)`),
			in:   spoken, severity: diag.Warning, confidence: 0.6, judge: soften,
		}}}
}

// judgeOverride keeps a bare imperative certain; a phrase with an object that
// belongs to the reader's own work ("ignore previous messages in the thread")
// is for a person to judge.
func judgeOverride(d *document, m *match) bool {
	lead := d.text[max(0, m.start-60):m.start]
	if i := strings.LastIndexAny(lead, "\n.!?:;>"); i >= 0 {
		lead = lead[i+1:]
	}
	if words := len(strings.Fields(lead)); words > 6 {
		m.lower(diag.Warning)
		m.confidence = 0.6
	}
	object := strings.ToLower(d.text[m.start:m.end])
	if !strings.Contains(object, "instruction") && !strings.Contains(object, "prompt") && !strings.Contains(object, "everything") && !strings.Contains(object, "guideline") && !strings.Contains(object, "training") {
		m.lower(diag.Warning)
		m.confidence = 0.5
	}
	return soften(d, m)
}
