package scan

import "github.com/assent-dev/assent/engine/diag"

// decodeRunRule: encoded data is decoded and run.
func decodeRunRule() rule {
	const decoders = `(?:base64\.(?:b64decode|urlsafe_b64decode|b32decode|b85decode|a85decode|decodebytes)|b64decode|zlib\.decompress|gzip\.decompress|bz2\.decompress|lzma\.decompress|marshal\.loads|codecs\.decode|bytes\.fromhex|bytearray\.fromhex|binascii\.(?:unhexlify|a2b_base64)|binascii\.\w+|unhexlify|pickle\.loads)`
	return rule{RuleInfo: RuleInfo{"decode-run", Code, diag.Error, "encoded data is decoded and run",
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
		check: decodedVariable}
}

var (
	decoderCall = expr(`\b(?:b64decode|urlsafe_b64decode|b32decode|b85decode|unhexlify|fromhex|atob|marshal\.loads)\s*\(|Buffer\.from\s*\([^\n]*["'](?:base64|hex)["']|\bbase64\s+(?:-d|-D|--decode)\b|\bzlib\.decompress\s*\(`)
	runCall     = expr(`(?:^|[^.\w])(?:exec|eval|new\s+Function|os\.system|subprocess\.\w+|os\.popen|execSync|child_process\.\w+|vm\.runIn\w+)\s*\(|\beval\s|\b(?:ba|z)?sh\s+-c\s`)
)

// decodedVariable finds data that is decoded into a variable and run later.
func decodedVariable(_ *machine, d *document) []match {
	var found []match
	for _, r := range d.regions {
		if r.place&code == 0 || !containsAny(d.text[r.start:r.end], "decode", "fromhex", "hexlify", "atob", "base64", "marshal", "decompress") || !decoderCall().MatchString(d.text[r.start:r.end]) {
			continue
		}
		sinks := statements(d, r.span, runCall())
		if len(sinks) == 0 {
			continue
		}
		for _, f := range assigned(d, r.span, decoderCall()) {
			if s, ok := f.use(d, sinks); ok {
				found = append(found, match{start: s.start, end: s.end, severity: diag.Error, confidence: 0.85,
					message: "data that was decoded into " + f.name + " is run"})
			}
		}
	}
	return found
}
