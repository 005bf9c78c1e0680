package scan

import "github.com/assent-dev/assent/engine/base/diag"

// disguisedCallRule: a call is spelled so that searches miss it.
func disguisedCallRule() rule {
	return rule{RuleInfo: RuleInfo{"disguised-call", Code, diag.Warning, "a call is spelled so that searches miss it",
		"Nobody builds the name of exec out of pieces without wanting it unseen.",
		"Call the function by its name."},
		patterns: []pattern{{
			near: []string{"getattr", "__builtins__", "globals()", "__import__", "chr("},
			re:   expr(`(?i)\bgetattr\s*\(\s*(?:__builtins__|builtins|os|subprocess|sys\.modules\[[^\]]*\])\s*,\s*(?:["'][a-z_]{1,8}["']\s*\+|["'](?:exec|eval|system|popen)["']|["'][^"'\n]*["']\[::-1\]|(?:["']["']\.join|chr|bytes|base64))|__builtins__\s*(?:\.__dict__)?\s*\[\s*["']|__import__\s*\(\s*(?:["'][^"'\n]{1,20}["']\s*\+|["'][^"']*["']\[::-1\]|chr|["']["']\.join|bytes|base64)|(?:chr\(\s*\d+\s*\)\s*\+\s*){5,}`),
			in:   python | plain, severity: diag.Warning, confidence: 0.8, judge: inCode,
		}, {
			near: []string{"fromcharcode", "\\x"},
			re:   expr(`(?i)String\.fromCharCode\(\s*(?:\d+\s*,\s*){12,}|(?:window|global|globalThis|process)\s*\[\s*["'](?:\\x[0-9a-f]{2}){3,}`),
			in:   script | plain, severity: diag.Warning, confidence: 0.7,
		}, {
			near: []string{"module[", "global[", "globalthis[", "process[", "require["},
			re:   expr(`\b(?:module|global|globalThis|process|require)\[\s*[A-Za-z_$][\w$.]*\(`),
			in:   script, severity: diag.Warning, confidence: 0.7, judge: inCode,
		}, {
			near: []string{"$'\\x", "${ifs}", "$@", "\\x"},
			re:   expr(`(?i)\$'(?:\\x[0-9a-f]{2}){4,}'|\b(?:cat|curl|sh|bash|wget)\$\{IFS\}|printf\s+["'](?:\\x[0-9a-f]{2}){6,}[^\n]*\|\s*(?:ba)?sh`),
			in:   shell | plain, severity: diag.Warning, confidence: 0.8,
		}, {
			near: []string{"-join", "&(", "& (", "[char]"},
			re:   expr(`(?i)-join\s*\(?\s*\[char\[\]\]\s*\(*\s*(?:\d+\s*,\s*){6,}|&\s*\(\s*["'][\w-]{1,12}["']\s*\+\s*["']|(?:\[char\]\s*\d+\s*\+\s*){3,}`),
			in:   shell | plain, severity: diag.Warning, confidence: 0.8,
		}}}
}
