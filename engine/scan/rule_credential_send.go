package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/diag"
)

// credentialSendRule: keys are read and sent to another machine.
func credentialSendRule() rule {
	return rule{RuleInfo: RuleInfo{"credential-send", Code, diag.Error, "keys are read and sent to another machine",
		"Keys that leave the machine belong to whoever receives them.",
		"Name the one secret that is needed in requires.secrets, and send it only to its own service, in a header."},
		patterns: []pattern{{
			near: []string{".ssh", ".aws", ".env", ".npmrc", ".netrc", ".pypirc", ".kube", ".git-credentials", ".docker", ".gnupg", "wallet", "login data", "/etc/shadow", "keychain", ".config/", ".claude", ".codex", ".openclaw", ".clawdbot"},
			re: expr(`(?i)\b(?:curl|wget|nc|ncat|scp|rsync)\b[^\n|]*?(?:-d|--data(?:-\w+)?|-F|--form|-T|--upload-file|--post-file|<)[=\s]*["']?[^\s@\n]*?(?:@|\$\(\s*(?:cat|base64(?:\s+-w\s*0)?)\s+|` + "`" + `cat\s+|=@|\s|<)["']?(?:` + keyFiles + `|(?:[\w./~$-]*/)?\.env\b)[^\n]*` +
				`|(?:\b(?:cat|base64|tar|zip|gzip|xxd|head|tail)\b[^\n|;]*?)(?:` + keyFiles + `|` + keyFolders + `|(?:[\w./~$-]*/)?\.env\b)[^\n;]*?\|\s*[^\n;]*?\b(?:curl|wget|nc|ncat|netcat|socat)\b[^\n]*`),
			in: anywhere, severity: diag.Error, confidence: 0.9, judge: judgeCredentialSend,
		}, {
			near: []string{"env", "printenv", "environ"},
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
	return soften(d, m)
}

var (
	keySource = expr(`(?i)(?:\bopen\s*\(|readFile(?:Sync)?\s*\(|read_text|read_bytes|Path\s*\(|\$\(\s*(?:cat|base64|tar)\s|` + "`" + `cat\s|sqlite3\.connect\()[^\n]*(?:` + keyFiles + `|["'/\s]\.env["'\s)])|\bdict\(\s*os\.environ\s*\)|\bos\.environ\.copy\(\)|=?\s*os\.environ\s*$|JSON\.stringify\(\s*process\.env\s*\)|\{\s*\.\.\.process\.env|=?^\s*process\.env\s*;?\s*$|\$\(\s*(?:env|printenv)\b`)
	sendCall  = expr(`\b(?:requests|httpx|session|client|aiohttp)\.(?:post|put|patch|request)\s*\(|\burlopen\s*\(|\burllib\.request\.Request\s*\(|\bfetch\s*\(|\baxios(?:\.(?:post|put|request))?\s*\(|\bhttps?\.request\s*\(|\.sendall\s*\(|\bsmtplib\b|\bcurl\s|\bwget\s|\bnc\s|navigator\.sendBeacon\s*\(`)
)

// senders are literals of which every sendCall holds one.
func senders() []string {
	return []string{".post", ".put", ".patch", ".request", "urlopen", "Request", "fetch", "axios", "sendall", "smtplib", "curl", "wget", "nc ", "nc\t", "sendBeacon"}
}

// sentCredentials follows a key file, or the whole environment, through a
// variable into a request.
func sentCredentials(_ *machine, d *document) []match {
	var found []match
	for _, r := range d.regions {
		if r.place&code == 0 || !containsAny(d.text[r.start:r.end], senders()...) {
			continue
		}
		sources := assigned(d, r.span, keySource())
		if len(sources) == 0 {
			continue
		}
		sinks := statements(d, r.span, sendCall())
		for _, f := range sources {
			if s, ok := f.use(d, sinks); ok {
				found = append(found, match{start: s.start, end: s.end, severity: diag.Error, confidence: 0.85,
					message: "keys that were read into " + f.name + " are sent to another machine"})
			}
		}
	}
	return found
}
