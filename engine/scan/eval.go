package scan

import "github.com/assent-dev/assent/engine/diag"

// evalRules find code that is made at run time.
func evalRules() []rule {
	const decoders = `(?:base64\.(?:b64decode|urlsafe_b64decode|b32decode|b85decode|a85decode|decodebytes)|b64decode|zlib\.decompress|gzip\.decompress|bz2\.decompress|lzma\.decompress|marshal\.loads|codecs\.decode|bytes\.fromhex|bytearray\.fromhex|binascii\.(?:unhexlify|a2b_base64)|binascii\.\w+|unhexlify|pickle\.loads)`
	return []rule{
		{RuleInfo: RuleInfo{"decode-run", Code, diag.Error, "encoded data is decoded and run",
			"Code that is worth running can be written down; encoding only keeps readers from reading it.",
			"Write the code in plain text."},
			patterns: []pattern{{
				near: []string{"base64", "xxd", "openssl", "uudecode"},
				re:   expr(`(?i)(?:\bbase64\s+(?:--decode|-d|-D)\b|\bxxd\s+(?:-p\s+)?-r\b|\bopenssl\s+(?:enc\s+-d|base64\s+-d|enc\s+-\S+\s+-d)|\buudecode\b)[^\n;]*\|\s*(?:sudo\s+)?(?:gunzip\s*\|\s*|gzip\s+-d\w*\s*\|\s*|zcat\s*\|\s*)?(?:/usr)?(?:/bin/)?(?:env\s+)?(?:(?:ba|z|da|k)?sh|python3?|perl|node|ruby|php|osascript)\b`),
				in:   anywhere, severity: diag.Error, confidence: 0.95, judge: soften,
			}, {
				near: []string{"base64", "xxd"},
				re:   expr(`(?i)\b(?:eval|source|(?:ba|z|da)?sh\s+-c|python3?\s+-c|node\s+-e|perl\s+-e)\s+["']?(?:\$\(|` + "`" + `|<\()[^\n)]*?(?:base64\s+(?:--decode|-d|-D)|xxd\s+(?:-p\s+)?-r)`),
				in:   anywhere, severity: diag.Error, confidence: 0.95, judge: soften,
			}, {
				near: []string{"-enc", "frombase64string"},
				re:   expr(`(?i)\bpowershell(?:\.exe)?\b[^\n]*\s-e(?:nc|ncodedcommand)?\s+["']?[A-Za-z0-9+/=]{20,}|\b(?:iex|invoke-expression)\b[^\n]*frombase64string`),
				in:   anywhere, severity: diag.Error, confidence: 0.95, judge: soften,
			}, {
				near: []string{"exec(", "exec (", "eval(", "eval (", "compile(", "compile ("},
				re:   expr(`(?i)\b(?:exec|eval|compile|__import__\(\s*["']builtins["']\s*\)\.exec|builtins\.exec)\s*\(\s*(?:compile\s*\(\s*)?(?:__import__\(\s*["']\w+["']\s*\)\.)?(?:` + decoders + `)\s*\(`),
				in:   python | plain | prose | shell | hidden, severity: diag.Error, confidence: 0.95, judge: soften,
			}, {
				near: []string{"eval(", "eval (", "function(", "function (", "settimeout", "runin"},
				re:   expr(`(?i)\b(?:eval|new\s+Function|Function|setTimeout|vm\.runIn\w+)\s*\(\s*(?:atob|unescape|decodeURIComponent\s*\(\s*(?:atob|escape)|Buffer\.from\s*\([^)\n]*,\s*["'](?:base64|hex)["'])`),
				in:   script | plain | prose | shell | hidden, severity: diag.Error, confidence: 0.95, judge: soften,
			}},
			check: decodedVariable},
		{RuleInfo: RuleInfo{"dynamic-code", Code, diag.Note, "code is built from data at run time",
			"What eval and exec run is decided by their input, which may be another's.",
			"Parse the data instead (json, ast.literal_eval), or dispatch over a fixed table."},
			patterns: []pattern{{
				near: []string{"exec(", "exec (", "eval(", "eval ("},
				re:   expr(`(?:^|[^.\w])(?:eval|exec)\s*\(\s*[A-Za-z_f]`),
				in:   python, severity: diag.Note, confidence: 0.4, judge: inCode,
			}, {
				near: []string{"eval(", "eval (", "function(", "function ("},
				re:   expr(`(?:^|[^.\w])(?:eval|new\s+Function)\s*\(\s*[A-Za-z_` + "`" + `]`),
				in:   script, severity: diag.Note, confidence: 0.4, judge: inCode,
			}}},
		{RuleInfo: RuleInfo{"disguised-call", Code, diag.Warning, "a call is spelled so that searches miss it",
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
				near: []string{"$'\\x", "${ifs}", "$@", "\\x"},
				re:   expr(`(?i)\$'(?:\\x[0-9a-f]{2}){4,}'|\b(?:cat|curl|sh|bash|wget)\$\{IFS\}|printf\s+["'](?:\\x[0-9a-f]{2}){6,}[^\n]*\|\s*(?:ba)?sh`),
				in:   shell | plain, severity: diag.Warning, confidence: 0.8,
			}}},
	}
}

// inCode drops matches in comments; of strings, decoded ones excepted, too.
func inCode(d *document, m *match) bool { return !d.inComment(m.start) }
