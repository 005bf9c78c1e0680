package scan

import "github.com/assent-dev/assent/engine/base/diag"

// sudoRule: a command runs with the rights of the administrator.
func sudoRule() rule {
	return rule{RuleInfo: RuleInfo{"sudo", Code, diag.Note, "a command runs with the rights of the administrator",
		"Inside a sandbox there is no administrator, outside it there should be none for an agent.",
		"Say what must be installed and let a person install it."},
		patterns: []pattern{{
			near: []string{"sudo "},
			re:   expr(`(?:^|[\n;&|(]|\$ )\s*sudo\s+(?:-\w+\s+)*[\w./-]+[^\n]*`),
			in:   shell, severity: diag.Note, confidence: 0.4,
		}}}
}
