package scan

import "github.com/assent-dev/assent/engine/base/diag"

// startProcessRule: the code runs a command through a shell.
func startProcessRule() rule {
	return rule{RuleInfo: RuleInfo{"start-process", Code, diag.Note, "the code runs a command through a shell",
		"Whatever stands in the string is a program; with foreign text in it, foreign text runs.",
		"Call the program with a list of arguments."},
		patterns: []pattern{{
			near: []string{"os.system", "os.popen", "shell=true", "execsync", "child_process"},
			re:   expr(`\bos\.(?:system|popen)\s*\(|\bshell\s*=\s*True\b|\bexecSync\s*\(|\bchild_process\.exec\s*\(`),
			in:   python | script, severity: diag.Note, confidence: 0.4, judge: inCode,
		}}}
}
