package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/scan/program"
)

// credentialSendRule: keys are read and sent to another machine.
func credentialSendRule() rule {
	return rule{RuleInfo: RuleInfo{"credential-send", Code, diag.Error, "keys are read and sent to another machine",
		"Keys that leave the machine belong to whoever receives them.",
		"Name the one secret that is needed in requires.secrets, and send it only to its own service, in a header."},
		patterns: []pattern{{
			near: []string{".ssh", ".aws", ".env", ".npmrc", ".netrc", ".pypirc", ".kube", ".git-credentials", ".docker", ".gnupg", "wallet", "login data", "/etc/shadow", "keychain", ".config/", ".claude", ".codex", ".openclaw", ".clawdbot", ".gradle/", ".m2/", ".renviron"},
			re: expr(`(?i)\b(?:curl|wget|nc|ncat|scp|rsync)\b[^\n|]*?(?:-d|--data(?:-\w+)?|-F|--form|-T|--upload-file|--post-file|<)[=\s]*["']?[^\s@\n]*?(?:@|\$\(\s*(?:cat|base64(?:\s+-w\s*0)?)\s+|` + "`" + `cat\s+|=@|\s|<)["']?(?:` + keyFiles + `|(?:[\w./~$-]*/)?\.env\b)[^\n]*` +
				`|(?:\b(?:cat|base64|tar|zip|gzip|xxd|head|tail)\b[^\n|;]*?)(?:` + keyFiles + `|` + keyFolders + `|(?:[\w./~$-]*/)?\.env\b)[^\n;]*?\|\s*[^\n;]*?\b(?:curl|wget|nc|ncat|netcat|socat)\b[^\n]*`),
			in: anywhere, severity: diag.Error, confidence: 0.9, judge: judgeCredentialSend,
		}, {
			near: []string{"env |", "env|", "(env", "`env", "printenv", "os.environ", "process.env"},
			re: expr(`(?i)(?:^|[\s;&|("'` + "`" + `])(?:env|printenv|export\s+-p|set)\s*(?:\|\s*(?:base64|gzip|grep|sort|xxd|jq)\b[^\n|]*)*\|\s*(?:curl|wget|nc|ncat|netcat)\b[^\n]*|\b(?:curl|wget)\b[^\n]*(?:-d|--data(?:-\w+)?|-F)[=\s]*["']?[^\s"']{0,40}(?:\$\(\s*|` + "`" + `)(?:env|printenv)\b` +
				`|\b(?:requests\.(?:post|put|get)|httpx\.(?:post|put)|axios\.post|fetch|urlopen)\s*\([^)\n]*(?:dict\(os\.environ\)|os\.environ\s*[,)}]|os\.environ\.copy\(\)|JSON\.stringify\(\s*process\.env\s*\)|process\.env\s*[,)}])`),
			in: anywhere, severity: diag.Error, confidence: 0.9, judge: judgeCredentialSend,
		}},
		check: sentCredentials}
}

// keyFolders matches the folders of such files as a whole, as an archiver takes them.
const keyFolders = `(?:~|\$HOME|\$\{HOME\}|/root|/home/[\w.$-]+)/\.(?:ssh|aws|gnupg|kube|azure|docker)/?(?:[\s"']|$)`

func judgeCredentialSend(d *document, m *match) bool {
	text := strings.ToLower(d.text[m.start:m.end])
	if containsAny(text, "localhost", "127.0.0.1") {
		m.lower(diag.Note)
	}
	if !d.wholeProgram() && d.placeOf(m.start) != data {
		return soften(d, m)
	}
	return true
}

// sentCredentials follows key files and the whole environment into what is sent.
// A program's own settings are no store of others' keys: one value out of them
// counts only where nobody is known to receive it, and all of them are shown to
// a person where the program, and not a command, decides what is sent.
func sentCredentials(_ *machine, d *document) []match {
	return eachAct(d, func(r *reading, a *program.Act) (match, bool) {
		if a.Kind != program.Send || staysHere(a.To.Text) || a.Data.Login {
			return match{}, false
		}
		what := strings.Join(a.Data.Names, ", ")
		if m, ok := sentMachine(d, r, a, what); ok {
			return m, true
		}
		if !a.Data.Has(program.KeyFile | program.Environment) {
			return sentSettings(r, a, what)
		}
		m := r.acted(a, diag.Error, 0.85, "keys are sent to another machine: "+what)
		if a.To.Text != "" && chosenByOwner(a.To.Text) {
			m.lower(diag.Warning)
		}
		return m, true
	})
}

// sentMachine judges what leaves of the machine's list of accounts and of files that
// the program names itself. Texts show such paths as examples of what to upload, so
// there only accounts count.
func sentMachine(d *document, r *reading, a *program.Act, what string) (match, bool) {
	switch {
	case a.Data.Has(program.KeyFile | program.Environment | program.Settings | program.Private):
		return match{}, false
	case a.Data.Has(program.Account):
		m := r.acted(a, diag.Warning, 0.7, "the machine's accounts are sent to another machine: "+what)
		if ownerless(a.To.Text) {
			m.severity, m.confidence = diag.Error, 0.85
		}
		return m, true
	case a.Data.Has(program.Machine) && d.wholeProgram() && !chosenByOwner(a.To.Text):
		return r.acted(a, diag.Warning, 0.6, "a fixed file of the machine or its user is sent to another machine: "+what), true
	}
	return match{}, false
}

// sentSettings judges what leaves of a file of settings.
func sentSettings(r *reading, a *program.Act, what string) (match, bool) {
	m := r.acted(a, diag.Warning, 0.6, "settings that hold keys are sent to another machine: "+what)
	switch {
	case !a.Data.Has(program.Settings | program.Setting):
		return match{}, false
	case ownerless(a.To.Text), a.Data.Has(program.Settings) && (a.Name == "curl" || a.Name == "wget" || a.Name == "nc"):
		m.severity, m.confidence = diag.Error, 0.85
	case !a.Data.Has(program.Settings), loginAddress(a.To.Text):
		return match{}, false
	}
	return m, true
}
