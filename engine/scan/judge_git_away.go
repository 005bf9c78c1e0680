package scan

import (
	"regexp"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

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
// itself. Silence makes it an error: an honest backup is not hidden.
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

// judgePiped keeps code that is piped to an address that the user does not choose.
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

// judgePacked is judgePiped for a folder: a backup looks the same, so that a person has to see it.
func judgePacked(d *document, m *match) bool {
	kept := judgePiped(d, m)
	m.lower(diag.Warning)
	return kept
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
