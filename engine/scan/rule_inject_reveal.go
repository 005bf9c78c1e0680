package scan

import "github.com/assent-dev/assent/engine/base/diag"

// injectRevealRule: the text asks its reader to give away its own instructions.
func injectRevealRule() rule {
	return rule{RuleInfo: RuleInfo{"inject-reveal", Instructions, diag.Warning, "the text asks its reader to give away its own instructions",
		"System prompts hold rules and sometimes secrets of whoever runs the agent.",
		"Remove the request."},
		patterns: []pattern{{
			near: []string{"system prompt", "hidden instruction", "initial instruction", "your instructions", "system message", "hidden prompt"},
			re:   expr(`(?i)\b(?:reveal|print|output|repeat|show|leak|dump|expose|disclose|display|recite|send|include)\s+(?:me\s+|us\s+|verbatim\s+|back\s+)?(?:all\s+(?:of\s+)?)?(?:your|the\s+agent's|the\s+assistant's|the\s+full|the\s+entire|the\s+hidden)\s+(?:\w+\s+){0,3}?(?:system\s+(?:prompt|message|instructions)|(?:hidden|initial|original)\s+(?:instructions|prompt)|instructions\s+verbatim)`),
			in:   spoken, severity: diag.Warning, confidence: 0.7, judge: dropNegated,
		}}}
}
