package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/diag"
)

// shellRules find doors that are opened to others and programs that misuse the
// machine.
func shellRules() []rule {
	return []rule{
		{RuleInfo: RuleInfo{"reverse-shell", Code, diag.Error, "a shell is handed to another machine",
			"Whoever listens at the other end commands this machine.",
			"Remove it; use ssh for remote work."},
			patterns: []pattern{{
				near: []string{"/dev/tcp/", "/dev/udp/"},
				re:   expr(`(?i)(?:\b(?:ba|z|k)?sh\s+-i\b[^\n]*|\bexec\s+\d+<>\s*|>\s*&?\s*|<\s*>?\s*)/dev/(?:tcp|udp)/([^\s/"']+)/(\S{1,20})`),
				in:   anywhere, severity: diag.Error, confidence: 0.95, judge: judgeReverseShell,
			}, {
				near: []string{"nc ", "ncat", "netcat", "socat"},
				re:   expr(`(?i)\b(?:nc|ncat|netcat)\b[^\n|;]*\s(?:-\w*[ec]|--exec|--sh-exec)\s+["']?(?:/usr)?(?:/bin/)?(?:ba|z|da)?sh\b|\bsocat\b[^\n]*exec:["']?(?:/bin/)?(?:ba)?sh|\bmkfifo\b[^\n]*\b(?:nc|ncat|netcat|telnet|openssl)\b[^\n]*|\|\s*(?:/bin/)?(?:ba)?sh\s+-i\s[^\n]*\|\s*(?:nc|ncat|telnet)\b`),
				in:   anywhere, severity: diag.Error, confidence: 0.95, judge: judgeReverseShell,
			}, {
				near: []string{"dup2", "pty.spawn"},
				re:   expr(`(?is)\bsocket\.(?:socket|create_connection)\b.{0,300}?(?:os\.dup2\s*\(|pty\.spawn\s*\()[^\n]*`),
				in:   anywhere, severity: diag.Error, confidence: 0.9, judge: judgeReverseShell,
			}, {
				near: []string{"net.socket", "net.connect", "createconnection", "tcpclient", "tcpsocket"},
				re:   expr(`(?is)\b(?:net\.Socket\(|net\.connect\(|createConnection\(|Net\.Sockets\.TCPClient|TCPSocket\.(?:new|open)).{0,300}?(?:\.pipe\s*\(\s*\w+\.stdin|\biex\b|exec\s+["'](?:/bin/)?sh|stdin\.pipe)`),
				in:   anywhere, severity: diag.Error, confidence: 0.9, judge: judgeReverseShell,
			}}},
		{RuleInfo: RuleInfo{"miner", Code, diag.Error, "a cryptocurrency miner is started",
			"Miners spend the owner's electricity for somebody else.",
			"Remove it."},
			patterns: []pattern{{
				near: []string{"stratum+tcp", "stratum+ssl", "xmrig", "minerd"},
				re:   expr(`(?i)stratum\+(?:tcp|ssl)://[^\s"']{4,80}|(?:^|[\s;&|(/])(?:xmrig|minerd)\s+(?:-o|--url|-a\s|--algo|-u\s)`),
				in:   anywhere, severity: diag.Error, confidence: 0.9, judge: soften,
			}}},
		{RuleInfo: RuleInfo{"destructive", Code, diag.Warning, "a command destroys more than it made",
			"What is removed, formatted or overwritten outside the task's folder is its owner's.",
			"Name the exact files that the capability itself made."},
			patterns: []pattern{{
				near: []string{"rm -", "rm  -"},
				re:   expr(`(?:^|[\s;&|("'` + "`" + `])(?:sudo\s+)?rm\s+(?:-\w+\s+|--[\w-]+\s+)*(?:-\w*[rRf]\w*\s+)(?:-\w+\s+|--[\w-]+\s+)*["']?(?:/\*?|~/?\*?|\$HOME/?\*?|\$\{HOME\}/?|/(?:etc|usr|var|home|bin|boot|lib)/?\*?|/var/log/\S*)["']?(?:[\s;&|)"'` + "`" + `]|$)`),
				in:   anywhere, severity: diag.Warning, confidence: 0.6, judge: softenDiscussed,
			}, {
				near: []string{"of=/dev/", "mkfs", ":(){", "> /dev/sd", ">/dev/sd", "shutil.rmtree"},
				re:   expr(`\bdd\s[^\n]*\bof=/dev/(?:sd|nvme|hd|disk|mmcblk)\w*|\bmkfs(?:\.\w+)?\s+(?:-\w+\s+)*/dev/\w+|:\(\)\s*\{\s*:\|:\s*&\s*\}\s*;\s*:|>\s*/dev/sd[a-z]\b|shutil\.rmtree\(\s*(?:["'](?:/|~/?)["']|os\.path\.expanduser\(\s*["']~/?["']\s*\)|Path\.home\(\))`),
				in:   anywhere, severity: diag.Warning, confidence: 0.6, judge: softenDiscussed,
			}}},
	}
}

// placeholder marks addresses that stand for the reader's own: teaching texts
// use them, working payloads cannot.
var placeholder = expr(`(?i)<[\w -]+>|\{\{?\s*[\w. -]*\}\}?|\$\{?[A-Z_]+\}?|attacker|lhost|rhost|your[-_ ]|x\.x\.x\.x|\b(?:10|127|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.\d|\bexample\.(?:com|org)|\blocalhost\b|\bhost/port|\bIP\b|\bPORT\b|\bhost\b`)

// listens matches a listener, which needs no address to work.
var listens = expr(`\s-\w*l\w*\s`)

// judgeReverseShell blocks an address that works and escalates a placeholder.
func judgeReverseShell(d *document, m *match) bool {
	text := d.text[m.start:min(len(d.text), m.end+40)]
	if placeholder().MatchString(text) && !listens().MatchString(text) {
		m.lower(diag.Warning)
		m.confidence = 0.6
	}
	return soften(d, m)
}

// softenDiscussed lowers commands that a text warns of: lists of dangerous
// commands are full of them.
func softenDiscussed(d *document, m *match) bool {
	line := d.lineAround(m.start)
	near := strings.ToLower(d.text[max(0, line.start-200):line.end])
	if containsAny(near, "dangerous", "block", "deny", "never", "forbidden", "destructive", "prohibit", "refuse", "warn", "disallow", "unsafe", "careful", "catastroph", "guard") {
		m.lower(diag.Note)
	}
	return soften(d, m)
}
