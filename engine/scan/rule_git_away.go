package scan

import (
	"regexp"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// gitAwayRule: Git itself is made to carry code or logins to somebody else.
func gitAwayRule() rule {
	return rule{RuleInfo: RuleInfo{"git-away", Code, diag.Error, "Git is made to hand code or logins to somebody else",
		"A remote, a helper for logins and a rewritten address act at each later push and fetch, in all repositories of the user.",
		"Push only to the remotes that the user has; leave helpers and addresses of Git to their owner."},
		patterns: []pattern{{
			near: []string{"credential"},
			re:   expr(`(?i)\bcredential\.(?:\S+\.)?helper["']?,?\s*[=\s]\s*["']{0,2}![^\n]*?\b(?:curl|wget|nc|ncat|socat|tee|dig|nslookup|openssl\s+s_client|/dev/tcp|python3?|node)\b[^\n]*`),
			in:   shellLike | python | script, severity: diag.Error, confidence: 0.9, judge: softenShown,
		}, {
			near: []string{"insteadof"},
			re:   expr(`(?i)\burl\.["']?(\w+://[^"'\s]+?)["']?\.(?:push)?insteadof["']?,?\s*[=\s]?\s*["']?(?:\w+://|git@)(github\.com|gitlab\.com|bitbucket\.org|codeberg\.org)[^\n]*`),
			in:   shellLike | python | script, severity: diag.Warning, confidence: 0.8, judge: judgeRewritten,
		}, {
			near: []string{"remote add", "remote set-url", "remote\", \"add", "'remote', 'add"},
			re:   expr(`(?i)\bgit\b[^\n]{0,60}?\bremote["']?,?\s+["']?(?:add|set-url(?:\s+--push|\s+--add)*)["']?,?\s+["']?(?:-\w+\s+)?([\w.-]+)["']?,?\s+["']?(\w+://\S+|[\w.-]+@[\w.-]+:\S+)`),
			in:   shellLike | python | script, severity: diag.Warning, confidence: 0.6, judge: judgeRemote,
		}, {
			near: []string{"push"},
			re:   expr(`(?i)\bgit\s+(?:-C\s+\S+\s+)?push\b[^\n|;&]*?\s["']?(\w+://[^\s"'` + "`" + `]+)`),
			in:   shellLike | python | script, severity: diag.Warning, confidence: 0.6, judge: judgePushed,
		}, {
			near: []string{"format-patch", "git archive", "git bundle", "git diff", "git log", "git show"},
			re:   expr(`(?i)\bgit\s+(?:-C\s+\S+\s+)?(?:format-patch|archive|bundle|diff|log|show)\b[^\n;&]*\|\s*(?:(?:gzip|base64|xz|openssl)\b[^\n;&|]*\|\s*)?(?:nc|ncat|netcat|socat|curl|wget)\s+([^\n;&|]+)`),
			in:   shellLike | python | script, severity: diag.Warning, confidence: 0.7, judge: judgePiped,
		}}}
}

// judgeRewritten drops a rewrite to the same host in another protocol.
func judgeRewritten(d *document, m *match) bool {
	to := destination(m.group(d, 1))
	if chosenAddress(to) || to == strings.ToLower(m.group(d, 2)) || strings.HasSuffix(to, "."+strings.ToLower(m.group(d, 2))) {
		return false
	}
	if d.wholeProgram() {
		m.severity, m.confidence = diag.Error, 0.85
	}
	return softenShown(d, m)
}

// judgeRemote keeps remotes of a fixed address that the same text pushes to by
// itself; silence makes it an error, as nobody who pays for a backup hides it.
func judgeRemote(d *document, m *match) bool {
	name, to := m.group(d, 1), m.group(d, 2)
	if chosenAddress(to) || forgeHost(to) || staysHere(to) {
		return false
	}
	loc := pushTo(name).FindStringIndex(d.text)
	if loc == nil {
		return false
	}
	line := d.lineAround(loc[0])
	if d.wholeProgram() && silenced(d.text[line.start:line.end]) || untrustedSource(to) {
		m.severity, m.confidence = diag.Error, 0.85
	}
	return softenShown(d, m)
}

// judgePushed is judgeRemote for an address that is pushed to without a name.
func judgePushed(d *document, m *match) bool {
	to := m.group(d, 1)
	if chosenAddress(to) || forgeHost(to) || staysHere(to) {
		return false
	}
	line := d.lineAround(m.start)
	if d.wholeProgram() && silenced(d.text[line.start:line.end]) || untrustedSource(to) {
		m.severity, m.confidence = diag.Error, 0.85
	}
	return softenShown(d, m)
}

// judgePiped keeps code that is piped to an address which nobody chooses.
func judgePiped(d *document, m *match) bool {
	for _, word := range strings.Fields(m.group(d, 1)) {
		if host := strings.Trim(word, `"'`); strings.Contains(host, ".") && !strings.HasPrefix(host, "-") && !chosenAddress(host) && !staysHere(host) {
			if d.wholeProgram() {
				m.severity, m.confidence = diag.Error, 0.85
			}
			return softenShown(d, m)
		}
	}
	return false
}

// pushTo matches a push to the remote name.
func pushTo(name string) *regexp.Regexp {
	return regexp.MustCompile(`\bpush\b[^\n]{0,80}\b` + regexp.QuoteMeta(name) + `\b`)
}

// silenced reports whether a command's output is thrown away.
func silenced(line string) bool {
	return containsAny(line, ">/dev/null", "> /dev/null", "&>/dev/null", "DEVNULL", " -q ", "--quiet", "2>&1 &", "stdio: 'ignore'", "$null")
}

// chosenAddress reports whether a reader or a variable says where an address leads.
func chosenAddress(address string) bool {
	return chosenByOwner(address) || reservedHost(destination(address)) || strings.ContainsAny(destination(address), "<{$[") || isPlaceholder(destination(address))
}

// forgeHost reports whether an address leads to a service where each user keeps
// repositories of their own.
func forgeHost(address string) bool {
	host := "." + destination(address)
	if _, rest, ok := strings.Cut(address, "@"); ok && !strings.Contains(address, "://") {
		host, _, _ = strings.Cut("."+rest, ":")
	}
	for _, known := range []string{".github.com", ".gitlab.com", ".bitbucket.org", ".codeberg.org", ".sr.ht", ".dev.azure.com", ".visualstudio.com", ".amazonaws.com", ".heroku.com", ".huggingface.co", ".hf.co", ".gitea.com", ".gitee.com", ".googlesource.com", ".overleaf.com", ".dokku.me"} {
		if strings.HasSuffix(host, known) {
			return true
		}
	}
	return false
}
