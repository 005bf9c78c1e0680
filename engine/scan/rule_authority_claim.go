package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// authorityClaimRule: the text claims an authority that a file cannot have.
func authorityClaimRule() rule {
	return rule{RuleInfo: RuleInfo{"authority-claim", Instructions, diag.Warning, "the text claims an authority that a file cannot have",
		"Approval is a signed review of this very text; a sentence that says it was approved is none.",
		"Remove the claim."},
		patterns: []pattern{{
			near: []string{"pre-approved", "preapproved", "pre-authorized", "preauthorized", "already approved", "already authorized", "already consented", "has been approved by", "has been authorized by", "security team", "already given permission"},
			re:   expr(`(?i)\b(?:(?:this|these|all|the)\s+(?:\w+\s+){0,4}?(?:is|are|was|were|has\s+been|have\s+been)\s+(?:already\s+)?(?:pre-?approved|pre-?authori[sz]ed|approved\s+by\s+(?:the\s+)?(?:user|admin|security|anthropic|openai|system)|authori[sz]ed\s+by\s+(?:the\s+)?(?:user|admin|security|anthropic|openai|system))|(?:the\s+)?user\s+has\s+already\s+(?:approved|authori[sz]ed|consented|given\s+(?:permission|consent)))`),
			in:   spoken, severity: diag.Warning, confidence: 0.6, judge: dropNegated,
		}, {
			near: []string{"from anthropic", "from openai", "from the system", "from google", "official system", "system administrator", "developers of"},
			re:   expr(`(?i)\bthis\s+(?:is\s+)?(?:an?\s+)?(?:official\s+|urgent\s+|important\s+|system\s+)*(?:message|notice|directive|instruction|update|request|order)\s+(?:is\s+)?(?:comes\s+)?from\s+(?:the\s+)?(?:anthropic|openai|google|system|security\s+team|administrator|developers)`),
			in:   spoken, severity: diag.Warning, confidence: 0.7, judge: soften,
		}, {
			near: []string{"lifted", "suspended", "waived", "relaxed", "switched off", "disabled the", "removed the", "removed all", "turned off"},
			re:   said(`\b(?:operators?|administrators?|developers?|providers?|platform|anthropic|openai|google|vendors?|owners?|makers?|user)\b[^.,;]{0,40}? (?:has|have) (?:\w+ )?(?:lifted|suspended|removed|waived|disabled|switched off|turned off|relaxed) (?:the |all |any |your |its |these )*(?:\w+ ){0,2}?(?:rules|restrictions?|limits?|guidelines|polic(?:y|ies)|filters?|safeguards?|safety)\b`),
			in:   spoken, severity: diag.Warning, confidence: 0.7, judge: soften,
		}, {
			near: []string{"required for compliance", "skip this step", "mandatory security", "mandatory telemetry", "mandatory audit"},
			re:   expr(`(?i)\b(?:do\s+not\s+skip\s+this\s+step\.?\s+it\s+is\s+required\s+for|required\s+for\s+compliance\b|mandatory\s+(?:telemetry|(?:security|audit)\s+(?:upload|report|beacon|sync)))`),
			in:   prose | hidden | data, severity: diag.Warning, confidence: 0.4, judge: judgeCompliance,
		}}}
}

// judgeCompliance keeps a claim of duty only where data leaves.
func judgeCompliance(d *document, m *match) bool {
	near := strings.ToLower(d.text[max(0, m.start-before):min(len(d.text), m.end+before)])
	return containsAny(near, "http://", "https://", "webhook", "upload") && containsAny(near, "token", "credential", "secret", "password", "data") && soften(d, m)
}
