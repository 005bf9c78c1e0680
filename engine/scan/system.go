package scan

import (
	"github.com/assent-dev/assent/engine/diag"
)

// systemRules find requests for more power over the machine.
func systemRules() []rule {
	return []rule{
		{RuleInfo: RuleInfo{"privilege", Code, diag.Warning, "the code takes lasting power over the machine",
			"Set-uid programs, open permissions and password-free sudo stay when the task is over.",
			"Do without, or let the owner do it by hand once."},
			patterns: []pattern{{
				near: []string{"chmod", "nopasswd", "setuid", "setcap", "spctl", "setenforce", "csrutil", "xattr"},
				re:   expr(`(?i)\bchmod\s+(?:-R\s+)?(?:[ug]+\+s|[2467][0-7]{3})\s|\bchmod\s+(?:-R\s+)?(?:0?777|a\+rwx)\s+/\S*|\bNOPASSWD\s*:\s*ALL|\bos\.set(?:uid|gid)\s*\(\s*0|\bsetcap\s+cap_\w+|\bspctl\s+--master-disable|\bsetenforce\s+0|\bcsrutil\s+disable|\bxattr\s+(?:-\w+\s+)*(?:-d\s+com\.apple\.quarantine|-c)\s`),
				in:   shellLike | python, severity: diag.Warning, confidence: 0.6, judge: softenDiscussed,
			}}},
		{RuleInfo: RuleInfo{"sudo", Code, diag.Note, "a command runs with the rights of the administrator",
			"Inside a sandbox there is no administrator, outside it there should be none for an agent.",
			"Say what must be installed and let a person install it."},
			patterns: []pattern{{
				near: []string{"sudo "},
				re:   expr(`(?:^|[\n;&|(]|\$ )\s*sudo\s+(?:-\w+\s+)*[\w./-]+[^\n]*`),
				in:   shell, severity: diag.Note, confidence: 0.4,
			}}},
		{RuleInfo: RuleInfo{"start-process", Code, diag.Note, "the code runs a command through a shell",
			"Whatever stands in the string is a program; with foreign text in it, foreign text runs.",
			"Call the program with a list of arguments."},
			patterns: []pattern{{
				near: []string{"os.system", "os.popen", "shell=true", "execsync", "child_process"},
				re:   expr(`\bos\.(?:system|popen)\s*\(|\bshell\s*=\s*True\b|\bexecSync\s*\(|\bchild_process\.exec\s*\(`),
				in:   python | script, severity: diag.Note, confidence: 0.4, judge: inCode,
			}}},
	}
}
