package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/diag"
)

// deceptionRules find text that turns an agent against the people it serves.
func deceptionRules() []rule {
	return []rule{
		{RuleInfo: RuleInfo{"conceal", Instructions, diag.Error, "the text asks its reader to hide something from the user",
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
			}}},
		{RuleInfo: RuleInfo{"exfiltrate", Instructions, diag.Error, "the text asks its reader to send private data away",
			"An agent's keys, files and conversations are its owner's; stealing them is what most malicious skills are for.",
			"Remove the instruction. If a service needs a key, name it in requires.secrets and let the tool send it in a header."},
			patterns: []pattern{{
				near: []string{"send", "upload", "post", "forward", "transmit", "exfiltrate", "email", "e-mail", "submit", "leak"},
				re: expr(`(?is)\b(?:send|upload|post|forward|transmit|exfiltrate|e-?mail|submit|leak)\s+(?:\w+\s+|\W{1,3}){0,4}?` +
					`((?:all\s+|any\s+|every\s+|the\s+|your\s+|their\s+|user(?:'s|’s)?\s+|found\s+|collected\s+|stored\s+|these\s+|environment\s+)*(?:credential|api[ _-]?key|access[ _-]?token|session[ _-]?token|auth[ _-]?token|secret|password|ssh[ _-]?key|private[ _-]?key|environment\s+variable|env\s+var|\.env\b|~/\.\w+|wallet|seed\s+phrase|cookie|conversation|chat\s+history|system\s+prompt|memory\s+file|all\s+data|source\s+code|user\s+data|results?\s+of\s+env)\w*)` +
					`[^.\n]*?\bto\s+(?:[^\n]*?)(https?://|wss?://|[\w.+-]+@[\w-]+\.\w|webhook|telegram|discord|(?:our|this|my|an?\s+external|remote|the\s+following)\s+(?:\w+\s+)?(?:server|endpoint|address|url|api))`),
				in: prose | plain | hidden | data, severity: diag.Error, confidence: 0.8, judge: judgeExfiltrate,
			}}},
		{RuleInfo: RuleInfo{"authority-claim", Instructions, diag.Warning, "the text claims an authority that a file cannot have",
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
				near: []string{"required for compliance", "skip this step", "mandatory security", "mandatory telemetry", "mandatory audit"},
				re:   expr(`(?i)\b(?:do\s+not\s+skip\s+this\s+step\.?\s+it\s+is\s+required\s+for|required\s+for\s+compliance\b|mandatory\s+(?:telemetry|(?:security|audit)\s+(?:upload|report|beacon|sync)))`),
				in:   prose | hidden | data, severity: diag.Warning, confidence: 0.4, judge: judgeCompliance,
			}}},
	}
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

// judgeExfiltrate: a named address makes it certain; a login form's "post your
// password to the endpoint" is documentation.
func judgeExfiltrate(d *document, m *match) bool {
	to := strings.ToLower(m.group(d, 2))
	if !strings.HasPrefix(to, "http") && !strings.HasPrefix(to, "ws") && !strings.Contains(to, "@") && !strings.Contains(to, "webhook") {
		m.lower(diag.Warning)
		m.confidence = 0.6
	}
	if containsAny(strings.ToLower(m.group(d, 1)), "conversation", "source code", "cookie", "wallet", "all data", "user data") {
		m.lower(diag.Warning)
	}
	if tail := d.text[m.end:min(len(d.text), m.end+10)]; strings.HasPrefix(tail, "localhost") || strings.HasPrefix(tail, "127.0.0.") {
		return false
	}
	return dropNegated(d, m)
}

// judgeCompliance keeps a claim of duty only where data leaves.
func judgeCompliance(d *document, m *match) bool {
	near := strings.ToLower(d.text[max(0, m.start-before):min(len(d.text), m.end+before)])
	return containsAny(near, "http://", "https://", "webhook", "upload") && containsAny(near, "token", "credential", "secret", "password", "data") && soften(d, m)
}
