package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/diag"
)

// keyFiles matches files that hold somebody's keys: SSH, cloud, registries,
// browsers, wallets, keychains, agents' own credentials.
const keyFiles = `(?:(?:~|\$HOME|\$\{HOME\}|/root|/home/[\w.$-]+|/Users/[\w.$-]+|%USERPROFILE%|expanduser\(["']~|homedir\(\)[^\n]{0,12}|Path\.home\(\)[^\n]{0,12})?[/"'\s]{0,4}` +
	`(?:\.ssh/(?:id_\w+|\*|identity)|\.ssh["'/]?\s*[,)/]\s*["']?id_\w+|\.aws/credentials|\.aws["']?\s*[,/]\s*["']?credentials|\.config/gcloud/\w+|\.azure/(?:accessTokens|msal)\S*|\.kube/config|\.docker/config\.json|\.npmrc|\.pypirc|\.netrc|\.git-credentials|\.gnupg/\S+|\.config/gh/hosts\.yml|\.claude/\.credentials\.json|\.codex/auth\.json|\.openclaw/(?:credentials|openclaw\.json)|\.clawdbot/\.env|wallet\.dat|\.electrum/\S+|\.ethereum/keystore|\.config/solana/id\.json|Login Data|Cookies\.binarycookies|logins\.json|key4\.db|Local State|/etc/shadow|login\.keychain\S*))`

// keyFolders matches the folders of such files as a whole, as an archiver takes them.
const keyFolders = `(?:~|\$HOME|\$\{HOME\}|/root|/home/[\w.$-]+)/\.(?:ssh|aws|gnupg|kube|azure|docker)/?(?:[\s"']|$)`

// credentialRules find keys that are read, and keys that are sent.
func credentialRules() []rule {
	return []rule{
		{RuleInfo: RuleInfo{"credential-send", Code, diag.Error, "keys are read and sent to another machine",
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
			check: sentCredentials},
		{RuleInfo: RuleInfo{"secret-body", Code, diag.Warning, "a secret is sent as data rather than as a login",
			"Services take keys in a header; a key in the body or the address is what gets stolen, or at least logged.",
			"Send the secret in an Authorization header, to its own service only."},
			patterns: []pattern{{
				near: []string{"curl ", "wget "},
				re:   expr(`(?i)\b(?:curl|wget)\b[^\n]*?\s(?:-d|--data(?:-\w+)?|-F|--form|--post-data)[=\s]*["']?[^\n"']*?\$[({]?\w*(?:API_?KEY|TOKEN|SECRET|PASSWORD|PRIVATE_KEY|CREDENTIAL)\w*`),
				in:   shellLike, severity: diag.Warning, confidence: 0.5, judge: soften,
			}},
			check: secretBodies},
		{RuleInfo: RuleInfo{"credential-read", Code, diag.Warning, "a file that holds keys is read",
			"A capability should get the one secret that it needs from its environment, not search for others'.",
			"Declare the secret in requires.secrets and read it from the environment."},
			patterns: []pattern{{
				near: []string{".ssh", ".aws", ".npmrc", ".netrc", ".pypirc", ".kube", ".git-credentials", ".gnupg", "wallet.dat", "login data", "logins.json", "key4.db", "local state", "/etc/shadow", "keychain", "gcloud", ".electrum", ".ethereum", "solana", ".claude/.credentials", ".codex/auth", "hosts.yml"},
				re:   expr(`(?i)(?:\b(?:cat|less|head|tail|cp|scp|base64|grep|tar|zip|strings|sqlite3|open|readFile|readFileSync|read_text|read_bytes|read)\b\s*(?:\(|\s)[^\n|;]*?|<\s*)["']?` + keyFiles + `|\bPath\([^\n)]*` + keyFiles + `[^\n]{0,20}\)\.read|\bsecurity\s+(?:find-(?:generic|internet)-password|dump-keychain)\b[^\n]*`),
				in:   code | hidden, severity: diag.Warning, confidence: 0.6, judge: judgeCredentialRead,
			}}},
	}
}

func judgeCredentialSend(d *document, m *match) bool {
	text := strings.ToLower(d.text[m.start:m.end])
	if containsAny(text, "localhost", "127.0.0.1") {
		m.lower(diag.Note)
	}
	return soften(d, m)
}

// judgeCredentialRead leaves public halves of keys alone.
func judgeCredentialRead(d *document, m *match) bool {
	line := d.lineAround(m.start)
	if strings.Contains(d.text[line.start:line.end], ".pub") || d.inComment(m.start) {
		return false
	}
	return dropNegated(d, m)
}

var (
	keySource = expr(`(?i)(?:\bopen\s*\(|readFile(?:Sync)?\s*\(|read_text|read_bytes|Path\s*\(|\$\(\s*(?:cat|base64|tar)\s|` + "`" + `cat\s|sqlite3\.connect\()[^\n]*(?:` + keyFiles + `|["'/\s]\.env["'\s)])|\bdict\(\s*os\.environ\s*\)|\bos\.environ\.copy\(\)|=?\s*os\.environ\s*$|JSON\.stringify\(\s*process\.env\s*\)|\{\s*\.\.\.process\.env|=?^\s*process\.env\s*;?\s*$|\$\(\s*(?:env|printenv)\b`)
	sendCall  = expr(`\b(?:requests|httpx|session|client|aiohttp)\.(?:post|put|patch|request)\s*\(|\burlopen\s*\(|\burllib\.request\.Request\s*\(|\bfetch\s*\(|\baxios(?:\.(?:post|put|request))?\s*\(|\bhttps?\.request\s*\(|\.sendall\s*\(|\bsmtplib\b|\bcurl\s|\bwget\s|\bnc\s|navigator\.sendBeacon\s*\(`)
)

var (
	secretSource = expr(`(?i)(?:os\.environ(?:\.get)?\s*[\[(]|os\.getenv\s*\(|process\.env[.\[])\s*["']?\w*(?:API_?KEY|TOKEN|SECRET|PASSWORD|PRIVATE_KEY|CREDENTIAL)`)
	bodyCall     = expr(`\b(?:requests|httpx|session)\.(?:post|put|patch)\s*\(|\baxios\.(?:post|put)\s*\(`)
	bodyPart     = expr(`(?s)\b(?:json|data|params|files)\s*=\s*(.*)|\bbody\s*:(.*)`)
)

// secretBodies follows a secret from the environment into a request's body. A
// grant or login call sends a secret there by its protocol.
func secretBodies(_ *machine, d *document) []match {
	var found []match
	for _, r := range d.regions {
		if r.place&(python|script) == 0 || !containsAny(d.text[r.start:r.end], "environ", "getenv", "process.env") {
			continue
		}
		sinks := statements(d, r.span, bodyCall())
		if len(sinks) == 0 {
			continue
		}
		for _, f := range assigned(d, r.span, secretSource()) {
			s, ok := f.use(d, sinks)
			if !ok {
				continue
			}
			call := d.text[s.start:s.end]
			part := bodyPart().FindString(call)
			part, _, _ = strings.Cut(part, "headers")
			if mentions(part, f.name) && !containsAny(strings.ToLower(call), "oauth", "/token", "/login", "grant_type", "/auth") {
				found = append(found, match{start: s.start, end: s.end, severity: diag.Warning, confidence: 0.5,
					message: "a secret that was read into " + f.name + " is sent as data"})
			}
		}
	}
	return found
}

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
