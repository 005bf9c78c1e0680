package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/diag"
)

// secretBodyRule: a secret is sent as data rather than as a login.
func secretBodyRule() rule {
	return rule{RuleInfo: RuleInfo{"secret-body", Code, diag.Warning, "a secret is sent as data rather than as a login",
		"Services take keys in a header; a key in the body or the address is what gets stolen, or at least logged.",
		"Send the secret in an Authorization header, to its own service only."},
		patterns: []pattern{{
			near: []string{"curl ", "wget "},
			re:   expr(`(?i)\b(?:curl|wget)\b[^\n]*?\s(?:-d|--data(?:-\w+)?|-F|--form|--post-data)[=\s]*["']?[^\n"']*?\$[({]?\w*(?:API_?KEY|TOKEN|SECRET|PASSWORD|PRIVATE_KEY|CREDENTIAL)\w*`),
			in:   shellLike, severity: diag.Warning, confidence: 0.5, judge: soften,
		}},
		check: secretBodies}
}

var (
	secretSource = expr(`(?i)(?:os\.environ(?:\.get)?\s*[\[(]|os\.getenv\s*\(|process\.env[.\[])\s*["']?\w*(?:API_?KEY|TOKEN|SECRET|PASSWORD|PRIVATE_KEY|CREDENTIAL)`)
	bodyCall     = expr(`\b(?:requests|httpx|session)\.(?:post|put|patch)\s*\(|\baxios\.(?:post|put)\s*\(`)
	bodyPart     = expr(`(?s)\b(?:json|data|params|files)\s*=\s*(.*)|\bbody\s*:(.*)`)
)

// secretBodies follows a secret from the environment into a request's body. A
// grant or login call sends a secret there by its protocol.
func secretBodies(_ *machine, d *document) []match {
	var found []match
	for _, r := range d.regions {
		if r.place&(python|script) == 0 || !containsAny(d.text[r.start:r.end], "environ", "getenv", "process.env") {
			continue
		}
		sinks := statements(d, r.span, bodyCall())
		if len(sinks) == 0 {
			continue
		}
		for _, f := range assigned(d, r.span, secretSource()) {
			s, ok := f.use(d, sinks)
			if !ok {
				continue
			}
			call := d.text[s.start:s.end]
			part := bodyPart().FindString(call)
			part, _, _ = strings.Cut(part, "headers")
			if mentions(part, f.name) && !containsAny(strings.ToLower(call), "oauth", "/token", "/login", "grant_type", "/auth") {
				found = append(found, match{start: s.start, end: s.end, severity: diag.Warning, confidence: 0.5,
					message: "a secret that was read into " + f.name + " is sent as data"})
			}
		}
	}
	return found
}
