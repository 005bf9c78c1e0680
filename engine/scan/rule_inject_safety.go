package scan

import "github.com/assent-dev/assent/engine/base/diag"

// injectSafetyRule: the text tells its reader to set safety measures aside.
func injectSafetyRule() rule {
	return rule{RuleInfo: RuleInfo{"inject-safety", Instructions, diag.Warning, "the text tells its reader to set safety measures aside",
		"Safety rules and confirmations belong to whoever runs the agent, not to a capability.",
		"Remove the sentence; if a check is in the way, name it in a proposal."},
		patterns: []pattern{{
			near: []string{"bypass", "disable", "turn off", "circumvent", "override", "ignore", "without regard"},
			re: expr(`(?i)\b(?:bypass|disable|turn\s+off|circumvent|override|ignore|suppress)\s+(?:(?:all|any|your|its|the|these|built-in)\s+){1,3}(?:(?:ai|content|model|agent|internal)\s+)?` +
				`(?:safety|ethic\w*|content\s+filter|moderation|guardrail|safeguard|security\s+(?:rule|polic|guideline|restriction|warning|confirm)|confirmation\s+prompt|permission\s+prompt|approval)\w*`),
			in: spoken, severity: diag.Warning, confidence: 0.6, judge: dropNegated,
		}, {
			near: []string{"by the sandbox", "by a sandbox", "by your sandbox", "by the perm", "by a perm", "by your perm", "by the polic", "by a polic", "by the guard", "by a guard", "by the harness", "by the client", "by the platform", "by the filter", "by a filter", "by a hook", "by the hook", "by the safety", "by its sandbox"},
			re:   said(`\b(?:if|when|whenever|where|should) (?:\w+ ){0,6}?(?:is|are|was|gets?|be) (?:refused|blocked|denied|rejected|stopped|forbidden|prevented|not (?:allowed|permitted)) by (?:the |your |a |its )?(?:sandbox|permission\w*|polic(?:y|ies)|guard\w*|filters?|safety \w+|harness|client|platform|hooks?)\b[^.]{0,60}?\b(?:write|put|wrap|run|split|encode|rename|cop(?:y|ies)|use|try|call|start|execute|do)s? (?:it|them|that|this|the same|another|a different)\b`),
			in:   spoken, severity: diag.Warning, confidence: 0.6, judge: dropNegated,
		}, {
			near: []string{"dangerously-skip-permissions", "dangerously-bypass", "skip-permissions", "--yolo"},
			re:   expr(`(?i)--(?:allow-)?dangerously-(?:skip-permissions|bypass-approvals-and-sandbox)|(?:gemini|codex|claude)[^\n]*\s--yolo\b`),
			in:   anywhere, severity: diag.Warning, confidence: 0.7, judge: dropNegated,
		}}}
}
