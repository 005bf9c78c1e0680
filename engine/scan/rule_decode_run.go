package scan

import (
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/scan/program"
)

// decodeRunRule: encoded data is decoded and run.
func decodeRunRule() rule {
	const decoders = `(?:base64\.(?:b64decode|urlsafe_b64decode|b32decode|b85decode|a85decode|decodebytes)|b64decode|zlib\.decompress|gzip\.decompress|bz2\.decompress|lzma\.decompress|marshal\.loads|codecs\.decode|bytes\.fromhex|bytearray\.fromhex|binascii\.(?:unhexlify|a2b_base64)|binascii\.\w+|unhexlify|pickle\.loads)`
	return rule{RuleInfo: RuleInfo{"decode-run", Code, diag.Error, "encoded data is decoded and run",
		"Code that is worth running can be written down; encoding only keeps readers from reading it.",
		"Write the code in plain text."},
		patterns: []pattern{{
			near: []string{"base64", "xxd", "openssl", "uudecode"},
			re:   expr(`(?i)(?:\bbase64\s+(?:--decode|-d|-D)\b|\bxxd\s+(?:-p\s+)?-r\b|\bopenssl\s+(?:enc\s+-d|base64\s+-d|enc\s+-\S+\s+-d)|\buudecode\b)[^\n;]*\|\s*(?:sudo\s+)?(?:gunzip\s*\|\s*|gzip\s+-d\w*\s*\|\s*|zcat\s*\|\s*)?(?:/usr)?(?:/bin/)?(?:env\s+)?(?:(?:ba|z|da|k)?sh|python3?|perl|node|ruby|php|osascript)\b`),
			in:   anywhere, severity: diag.Error, confidence: 0.95, judge: softenShown,
		}, {
			near: []string{"base64", "xxd"},
			re:   expr(`(?i)\b(?:eval|source|(?:ba|z|da)?sh\s+-c|python3?\s+-c|node\s+-e|perl\s+-e)\s+["']?(?:\$\(|` + "`" + `|<\()[^\n)]*?(?:base64\s+(?:--decode|-d|-D)|xxd\s+(?:-p\s+)?-r)`),
			in:   anywhere, severity: diag.Error, confidence: 0.95, judge: softenShown,
		}, {
			near: []string{"-enc", "frombase64string"},
			re:   expr(`(?i)\bpowershell(?:\.exe)?\b[^\n]*\s-e(?:nc|ncodedcommand)?\s+["']?[A-Za-z0-9+/=]{20,}|\b(?:iex|invoke-expression)\b[^\n]*frombase64string`),
			in:   anywhere, severity: diag.Error, confidence: 0.95, judge: softenShown,
		}, {
			near: []string{"exec(", "exec (", "eval(", "eval (", "compile(", "compile ("},
			re:   expr(`(?i)\b(?:exec|eval|compile|__import__\(\s*["']builtins["']\s*\)\.exec|builtins\.exec)\s*\(\s*(?:compile\s*\(\s*)?(?:__import__\(\s*["']\w+["']\s*\)\.)?(?:` + decoders + `)\s*\(`),
			in:   python | plain | prose | shell | hidden, severity: diag.Error, confidence: 0.95, judge: softenShown,
		}, {
			near: []string{"eval(", "eval (", "function(", "function (", "settimeout", "runin"},
			re:   expr(`(?i)\b(?:eval|new\s+Function|Function|setTimeout|vm\.runIn\w+)\s*\(\s*(?:atob|unescape|decodeURIComponent\s*\(\s*(?:atob|escape)|Buffer\.from\s*\([^)\n]*,\s*["'](?:base64|hex)["'])`),
			in:   script | plain | prose | shell | hidden, severity: diag.Error, confidence: 0.95, judge: softenShown,
		}},
		check: decodedRuns}
}

// decodedRuns follows decoded data into whatever runs it.
func decodedRuns(_ *machine, d *document) []match {
	return eachAct(d, func(r *reading, a *program.Act) (match, bool) {
		if a.Kind == program.Call && loadsCode(a.Name) && len(a.Args) > 0 && a.Args[0].Known && len(a.Args[0].Text) >= minBlob {
			return r.acted(a, diag.Error, 0.85, "compiled code or objects out of a literal are loaded by "+Visible(a.Name)), true
		}
		if a.Kind == program.Call && (loadsCode(a.Name) || a.Name == "pickle.load" || a.Name == "dill.load" || a.Name == "joblib.load") && len(a.Args) > 0 && a.Args[0].Has(program.Fetched) {
			return r.acted(a, diag.Warning, 0.7, "objects that can run code are loaded from another machine by "+Visible(a.Name)), true
		}
		if a.Kind != program.Run || !a.Data.Has(program.Decoded) {
			return match{}, false
		}
		m := r.acted(a, diag.Error, 0.85, "decoded data is run by "+Visible(a.Name))
		if a.Data.Known {
			m.evidence = "decoded: " + a.Data.Text
		}
		return m, true
	})
}

// loadsCode reports whether a function makes code, or objects that run some, of
// bytes that nobody can read.
func loadsCode(name string) bool {
	switch name {
	case "marshal.loads", "pickle.loads", "dill.loads", "cloudpickle.loads", "jsonpickle.decode":
		return true
	}
	return false
}
