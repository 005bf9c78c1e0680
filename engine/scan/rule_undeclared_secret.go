package scan

import (
	"slices"

	"github.com/assent-dev/assent/engine/base/diag"
)

// undeclaredSecretRule: the code reads a secret that the capability does not declare.
func undeclaredSecretRule() rule {
	return rule{RuleInfo: RuleInfo{"undeclared-secret", Declaration, diag.Warning, "the code reads a secret that the capability does not declare",
		"An undeclared secret is not there in the sandbox, and a declared one is what reviewers saw.",
		"Add it to requires.secrets, or stop reading it."},
		patterns: []pattern{{
			near:     []string{"environ", "getenv", "process.env", "env."},
			re:       expr(`(?i)(?:os\.environ(?:\.get)?\s*[\[(]\s*["']|os\.getenv\s*\(\s*["']|process\.env\.|process\.env\[\s*["']|Deno\.env\.get\(\s*["'])(\w*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?))\b`),
			declared: true, in: python | script, severity: diag.Warning, confidence: 0.9,
			judge: func(d *document, m *match) bool {
				return d.declared != nil && !slices.Contains(d.declared.Secrets, m.group(d, 1)) && !d.inComment(m.start)
			},
		}}}
}
