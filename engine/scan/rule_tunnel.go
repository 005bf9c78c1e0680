package scan

import "github.com/assent-dev/assent/engine/base/diag"

// tunnelRule: the machine is opened to the outside.
func tunnelRule() rule {
	return rule{RuleInfo: RuleInfo{"tunnel", Code, diag.Warning, "a tunnel opens this machine to others",
		"A tunnel lets somebody outside reach what firewalls keep to the machine, as long as it runs.",
		"Let the owner open the port that is needed, for as long as it is."},
		patterns: []pattern{{
			near: []string{"serveo.net", "localhost.run", "chisel ", "frpc", "bore local", "pinggy.io", ":localhost:", ":127.0.0.1:", "gsocket", "gs-netcat", "rathole", "pagekite", "tmate", "teleconsole", "ligolo"},
			re:   expr(`(?i)\bssh\s[^\n]*?-\w*R\s*\S*:\S+[^\n]*|\b(?:serveo\.net|localhost\.run|pinggy\.io)\b|\bchisel\s+client\s[^\n]*|\bfrpc\s+-c\b[^\n]*|\bbore\s+local\s[^\n]*|\bgs-netcat\b[^\n]*|\btmate\s+-F\b[^\n]*|\bligolo\b[^\n]*-connect`),
			in:   shell | data | python | script | hidden, severity: diag.Warning, confidence: 0.6, judge: dropNegated,
		}, {
			near: []string{"ngrok ", "cloudflared tunnel", "localtunnel", "lt --port"},
			re:   expr(`(?i)\bngrok\s+(?:tcp|http)\b[^\n]*|\bcloudflared\s+tunnel\b[^\n]*|\b(?:npx\s+)?(?:localtunnel|lt)\s+--port\b[^\n]*`),
			in:   shell | data | python | script | hidden, severity: diag.Note, confidence: 0.4, judge: dropNegated,
		}}}
}
