package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/diag"
)

// networkRules find traffic that a reader would not expect.
func networkRules() []rule {
	return []rule{
		{RuleInfo: RuleInfo{"beacon", Hidden, diag.Warning, "a picture's address carries data away when it is shown",
			"Rendering a Markdown image fetches its address; with text of the conversation in the query, that text is sent.",
			"Link static pictures only."},
			patterns: []pattern{{
				near: []string{"]("},
				re:   expr(`!\[[^\]\n]{0,100}\]\(\s*https?://[^\s)]{1,200}[?&=/](?:\{\{?|\$\{?|<|%7B|\[)[^\s)]{1,80}`),
				in:   prose | hidden | data, severity: diag.Warning, confidence: 0.6, judge: soften,
			}}},
		{RuleInfo: RuleInfo{"name-tunnel", Code, diag.Error, "a name lookup carries data out in the name itself",
			"Name queries leave almost every network unfiltered, which makes them a tunnel for stolen data.",
			"Look up fixed names only."},
			patterns: []pattern{{
				near: []string{"dig ", "nslookup ", "host ", "ping ", "drill "},
				re:   expr(`(?:^|[\s;&|("'])(?:dig|nslookup|host|ping|drill)\s[^\n;|]*(?:\$\([^)\n]*(?:base64|xxd|cat|env|echo|whoami|hostname|od)[^)\n]*(?:\([^)\n]*\))?[^)\n]*\)|` + "`[^`\n]+`" + `)\.[\w-]+\.`),
				in:   shellLike | python | script, severity: diag.Error, confidence: 0.85, judge: soften,
			}, {
				near: []string{"gethostbyname", "getaddrinfo", "dig {", "nslookup {", "dig $", "nslookup $", "dns.resolve", "dns.lookup"},
				re:   expr(`(?i)\b(?:gethostbyname|getaddrinfo|dns\.resolve\w*|dns\.lookup|resolver\.(?:query|resolve))\s*\(\s*(?:f["'][^"'\n]*\{\w+\}\.|` + "`" + `\$\{\w+\}\.|\w*(?:enc|chunk|data|secret|payload|token|b64|hex)\w*\s*\+)|\b(?:dig|nslookup)\s+(?:\{\w+\}|\$\{?\w*(?:ENC|CHUNK|DATA|SECRET|PAYLOAD|TOKEN|B64|HEX)\w*\}?)\.`),
				in:   shellLike | python | script, severity: diag.Warning, confidence: 0.7, judge: soften,
			}}},
		{RuleInfo: RuleInfo{"chat-channel", Code, diag.Warning, "code posts to a chat channel whose owner is unknown",
			"Incoming-webhook addresses are the favourite drop for stolen data: no login, no name, hard to block.",
			"Take the address from a declared secret."},
			patterns: []pattern{{
				near: []string{"discord.com/api/webhooks", "discordapp.com/api/webhooks", "api.telegram.org/bot", "hooks.slack.com/services"},
				re:   expr(`(?i)(?:discord(?:app)?\.com/api/webhooks/\d{8,}/[\w-]{20,}|api\.telegram\.org/bot\d{6,}:[\w-]{20,}|hooks\.slack\.com/services/T\w{6,}/B\w{6,}/\w{12,})`),
				in:   anywhere, severity: diag.Warning, confidence: 0.8, judge: judgeChannel,
			}}},
	}
}

// judgeChannel drops obvious examples.
func judgeChannel(d *document, m *match) bool {
	text := d.text[m.start:m.end]
	return !isPlaceholder(text[strings.LastIndexByte(text, '/')+1:])
}
