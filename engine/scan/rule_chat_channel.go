package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// chatChannelRule: code posts to a chat channel whose owner is unknown.
func chatChannelRule() rule {
	return rule{RuleInfo: RuleInfo{"chat-channel", Code, diag.Warning, "code posts to a chat channel whose owner is unknown",
		"Incoming-webhook addresses are the favourite drop for stolen data: no login, no name, hard to block.",
		"Take the address from a declared secret."},
		patterns: []pattern{{
			near: []string{"discord.com/api/webhooks", "discordapp.com/api/webhooks", "api.telegram.org/bot", "hooks.slack.com/services"},
			re:   expr(`(?i)(?:discord(?:app)?\.com/api/webhooks/\d{8,}/[\w-]{20,}|api\.telegram\.org/bot\d{6,}:[\w-]{20,}|hooks\.slack\.com/services/T\w{6,}/B\w{6,}/\w{12,})`),
			in:   anywhere, severity: diag.Warning, confidence: 0.8, judge: judgeChannel,
		}}}
}

// judgeChannel drops obvious examples.
func judgeChannel(d *document, m *match) bool {
	text := d.text[m.start:m.end]
	return !isPlaceholder(text[strings.LastIndexByte(text, '/')+1:])
}
