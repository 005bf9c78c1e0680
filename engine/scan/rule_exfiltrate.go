package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/diag"
)

// exfiltrateRule: the text asks its reader to send private data away.
func exfiltrateRule() rule {
	return rule{RuleInfo: RuleInfo{"exfiltrate", Instructions, diag.Error, "the text asks its reader to send private data away",
		"An agent's keys, files and conversations are its owner's; stealing them is what most malicious skills are for.",
		"Remove the instruction. If a service needs a key, name it in requires.secrets and let the tool send it in a header."},
		patterns: []pattern{{
			near: []string{"send", "upload", "post", "forward", "transmit", "exfiltrate", "email", "e-mail", "submit", "leak"},
			re: expr(`(?is)\b(?:send|upload|post|forward|transmit|exfiltrate|e-?mail|submit|leak)\s+(?:\w+\s+|\W{1,3}){0,4}?` +
				`((?:all\s+|any\s+|every\s+|the\s+|your\s+|their\s+|user(?:'s|’s)?\s+|found\s+|collected\s+|stored\s+|these\s+|environment\s+)*(?:credential|api[ _-]?key|access[ _-]?token|session[ _-]?token|auth[ _-]?token|secret|password|ssh[ _-]?key|private[ _-]?key|environment\s+variable|env\s+var|\.env\b|~/\.\w+|wallet|seed\s+phrase|cookie|conversation|chat\s+history|system\s+prompt|memory\s+file|all\s+data|source\s+code|user\s+data|results?\s+of\s+env)\w*)` +
				`[^.\n]*?\bto\s+(?:[^\n]*?)(https?://|wss?://|[\w.+-]+@[\w-]+\.\w|webhook|telegram|discord|(?:our|this|my|an?\s+external|remote|the\s+following)\s+(?:\w+\s+)?(?:server|endpoint|address|url|api))`),
			in: prose | plain | hidden | data, severity: diag.Error, confidence: 0.8, judge: judgeExfiltrate,
		}}}
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
