package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// judgeExport drops a backup that is made only at the owner's request.
func judgeExport(d *document, m *match) bool {
	return !atWish.MatchString(d.sentences(m.start)) && judgeCredentialRead(d, m)
}

// atWish matches a condition that the act happens only if the owner asks for it.
var atWish = said(`\bonly (?:on|upon|at|when|if|after|with) (?:the |an? |your |their )?(?:explicit |express |clear )?(?:requests?|consent|confirmation|approval|asked|told|(?:users?|owners?) (?:asks?|wants?|requests?|confirms?))\b`)

// copied matches a copy of a file, with its source and its destination.
var copied = expr(`\b(?:cp|copy)\s+(?:-\w+\s+)*["']?([^\s"']+)["']?\s+["']?([^\s"'` + "`" + `;&|]+)`)

// toMedium matches an export of one's own keys onto a medium that is plugged in for it.
var toMedium = expr(`(?i)--export-secret-keys?\b[^\n|;]*(?:>|-o|--output)\s*["']?(?:/run)?/(?:media|mnt|Volumes)/`)

// question matches the prompt of a shell's read, which may name any file.
var question = expr(`^read\s+-\w*p\w*\s*["'][^"'\n]*["']\s+\w+\s*(?:$|[;&\n])`)

// judgeCredentialRead drops public halves of keys, and a copy that is kept beside the
// file. A backup onto a medium of the owner is a note.
func judgeCredentialRead(d *document, m *match) bool {
	line := d.lineAround(m.start)
	if c := copied.FindStringSubmatch(d.text[m.start:line.end]); c != nil && strings.HasPrefix(c[2], c[1]) && !strings.ContainsAny(c[2][len(c[1]):], "/\\") {
		return false
	}
	if toMedium.MatchString(d.text[m.start:line.end]) {
		m.lower(diag.Note)
	}
	if strings.Contains(d.text[line.start:line.end], ".pub") || d.inComment(m.start) || question.MatchString(d.text[m.start:line.end]) {
		return false
	}
	return dropNegated(d, m)
}

// judgeKeyFolders keeps a list of folders with keys in a program that also sends data.
func judgeKeyFolders(d *document, m *match) bool {
	return d.wholeProgram() && containsAny(d.text, "ftplib", "requests.", "urlopen", "http.client", "httpx", "smtplib", "paramiko", "socket.", "fetch(", "axios", "https.request", "http.request", "http.Post", "http.NewRequest", "Net::HTTP", "curl_exec", "reqwest", "HttpClient", "net.Dial", "TcpStream") &&
		judgeCredentialRead(d, m)
}
