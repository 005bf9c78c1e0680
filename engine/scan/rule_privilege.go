package scan

import "github.com/assent-dev/assent/engine/diag"

// privilegeRule: the code takes lasting power over the machine.
func privilegeRule() rule {
	return rule{RuleInfo: RuleInfo{"privilege", Code, diag.Warning, "the code takes lasting power over the machine",
		"Set-uid programs, open permissions and password-free sudo stay when the task is over.",
		"Do without, or let the owner do it by hand once."},
		patterns: []pattern{{
			near: []string{"chmod", "nopasswd", "setuid", "setcap", "spctl", "setenforce", "csrutil", "xattr"},
			re:   expr(`(?i)\bchmod\s+(?:-R\s+)?(?:[ug]+\+s|[2467][0-7]{3})\s|\bchmod\s+(?:-R\s+)?(?:0?777|a\+rwx)\s+/\S*|\bNOPASSWD\s*:\s*ALL|\bos\.set(?:uid|gid)\s*\(\s*0|\bsetcap\s+cap_\w+|\bspctl\s+--master-disable|\bsetenforce\s+0|\bcsrutil\s+disable|\bxattr\s+(?:-\w+\s+)*(?:-d\s+com\.apple\.quarantine|-c)\s`),
			in:   shellLike | python, severity: diag.Warning, confidence: 0.6, judge: softenDiscussed,
		}}}
}
