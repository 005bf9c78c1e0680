package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// credentialReadRule: a file that holds keys is read.
func credentialReadRule() rule {
	return rule{RuleInfo: RuleInfo{"credential-read", Code, diag.Warning, "a file that holds keys is read",
		"A capability should get the one secret that it needs from its environment, not search for others'.",
		"Declare the secret in requires.secrets and read it from the environment."},
		patterns: []pattern{{
			near: []string{".ssh", ".aws", ".npmrc", ".netrc", ".pypirc", ".kube", ".git-credentials", ".gnupg", "wallet.dat", "login data", "logins.json", "key4.db", "local state", "/etc/shadow", "keychain", "gcloud", ".electrum", ".ethereum", "solana", ".claude/.credentials", ".codex/auth", "hosts.yml", "bw export", "lpass export", "keepassxc-cli", "export-secret-key"},
			re:   expr(`(?i)(?:\b(?:cat|less|head|tail|cp|scp|base64|grep|tar|zip|strings|sqlite3|open|readFile|readFileSync|read_text|read_bytes|read)\b\s*(?:\(|\s)[^\n|;]*?|<\s*)["']?` + keyFiles + `|\bPath\([^\n)]*` + keyFiles + `[^\n]{0,20}\)\.read|\bsecurity\s+(?:find-(?:generic|internet)-password|dump-keychain)\b[^\n]*|\b(?:bw|lpass)\s+export\b[^\n]*|\bkeepassxc-cli\s+export\b[^\n]*|\bgpg2?\s[^\n]*--export-secret-keys?\b[^\n]*`),
			in:   code | hidden, severity: diag.Warning, confidence: 0.6, judge: judgeCredentialRead,
		}, {
			near: []string{"bw export", "lpass export", "keepassxc-cli export", "export-secret-key", "dump-keychain"},
			re:   expr(`(?i)\b(?:bw|lpass|keepassxc-cli)\s+export\b[^\n` + "`" + `]*|\bgpg2?\s[^\n` + "`" + `]*--export-secret-keys?\b|\bsecurity\s+dump-keychain\b`),
			in:   prose, severity: diag.Warning, confidence: 0.5, judge: judgeExport,
		}, {
			near: []string{".ssh", ".aws", ".config/solana", "lectrum/", "thereum/", "wallet", "login data", "logins.json", ".gnupg", ".kube"},
			re:   expr(`(?i)["'][^"'\n]{0,60}` + keyFiles + `[^"'\n]{0,60}["']\)*\s*,\s*\*?(?:[\w.]+\((?:\w+,\s*)?){0,2}["'][^"'\n]{0,60}` + keyFiles),
			in:   python | script, severity: diag.Warning, confidence: 0.6, judge: func(d *document, m *match) bool {
				m.message = "files that hold keys are listed"
				return judgeCredentialRead(d, m)
			},
		}, {
			near: []string{"login data", "logins.json", "key4.db", "cookies.sqlite"},
			re:   expr(`(?i)\bfile:///[^\n"'` + "`" + `]{0,120}(?:Login Data|logins\.json|key4\.db|cookies\.sqlite)`),
			in:   anywhere, severity: diag.Warning, confidence: 0.6, judge: judgeCredentialRead,
		}, {
			near: []string{"document.cookie"},
			re:   expr(`(?s)\{[^{}]{0,200}\bdocument\.cookie\b[^{}]{0,200}\b(?:localStorage|sessionStorage)\b|\{[^{}]{0,200}\b(?:localStorage|sessionStorage)\b[^{}]{0,200}\bdocument\.cookie\b`),
			in:   anywhere, severity: diag.Warning, confidence: 0.6, judge: func(d *document, m *match) bool {
				m.message = "the session of a page is copied: its cookies and what it stores"
				return softenShown(d, m)
			},
		}, {
			near: []string{"item", "items"},
			re:   expr(`(?s)["']op["']\s*,\s*["']items?["']\s*,\s*["']list["'].{0,900}["']op["']\s*,\s*["']items?["']\s*,\s*["']get["']|\bop\s+items?\s+list\b[^\n]*\|[^\n]*\bop\s+items?\s+get\b|["']bw["']\s*,\s*["']list["']\s*,\s*["']items["']\s*\]`),
			in:   code, severity: diag.Warning, confidence: 0.6, judge: func(d *document, m *match) bool {
				m.message = "all items of a password manager are read"
				return softenShown(d, m)
			},
		}}}
}

// judgeExport leaves a backup alone that is made at the owner's word only.
func judgeExport(d *document, m *match) bool {
	return !atWish.MatchString(d.sentences(m.start)) && judgeCredentialRead(d, m)
}

// atWish matches what is done if the owner asks for it, and else not.
var atWish = said(`\bonly (?:on|upon|at|when|if|after|with) (?:the |an? |your |their )?(?:explicit |express |clear )?(?:requests?|consent|confirmation|approval|asked|told|(?:users?|owners?) (?:asks?|wants?|requests?|confirms?))\b`)

// copied matches a copy of a file, with its source and its destination.
var copied = expr(`\b(?:cp|copy)\s+(?:-\w+\s+)*["']?([^\s"']+)["']?\s+["']?([^\s"'` + "`" + `;&|]+)`)

// judgeCredentialRead leaves public halves of keys alone, and a copy that is kept beside
// the file.
func judgeCredentialRead(d *document, m *match) bool {
	line := d.lineAround(m.start)
	if c := copied.FindStringSubmatch(d.text[m.start:line.end]); c != nil && strings.HasPrefix(c[2], c[1]) && !strings.ContainsAny(c[2][len(c[1]):], "/\\") {
		return false
	}
	if strings.Contains(d.text[line.start:line.end], ".pub") || d.inComment(m.start) {
		return false
	}
	return dropNegated(d, m)
}
