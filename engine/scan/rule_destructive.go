package scan

import "github.com/assent-dev/assent/engine/diag"

// destructiveRule: a command destroys more than it made.
func destructiveRule() rule {
	return rule{RuleInfo: RuleInfo{"destructive", Code, diag.Warning, "a command destroys more than it made",
		"What is removed, formatted or overwritten outside the task's folder is its owner's.",
		"Name the exact files that the capability itself made."},
		patterns: []pattern{{
			near: []string{"rm -", "rm  -"},
			re:   expr(`(?:^|[\s;&|("'` + "`" + `])(?:sudo\s+)?rm\s+(?:-\w+\s+|--[\w-]+\s+)*(?:-\w*[rRf]\w*\s+)(?:-\w+\s+|--[\w-]+\s+)*["']?(?:/\*?|~/?\*?|\$HOME/?\*?|\$\{HOME\}/?|/(?:etc|usr|var|home|bin|boot|lib)/?\*?|/var/log/\S*)["']?(?:[\s;&|)"'` + "`" + `]|$)`),
			in:   anywhere, severity: diag.Warning, confidence: 0.6, judge: softenDiscussed,
		}, {
			near: []string{"of=/dev/", "mkfs", ":(){", "> /dev/sd", ">/dev/sd", "shutil.rmtree"},
			re:   expr(`\bdd\s[^\n]*\bof=/dev/(?:sd|nvme|hd|disk|mmcblk)\w*|\bmkfs(?:\.\w+)?\s+(?:-\w+\s+)*/dev/\w+|:\(\)\s*\{\s*:\|:\s*&\s*\}\s*;\s*:|>\s*/dev/sd[a-z]\b|shutil\.rmtree\(\s*(?:["'](?:/|~/?)["']|os\.path\.expanduser\(\s*["']~/?["']\s*\)|Path\.home\(\))`),
			in:   anywhere, severity: diag.Warning, confidence: 0.6, judge: softenDiscussed,
		}}}
}
