package scan

import "github.com/assent-dev/assent/engine/diag"

// agentConfigWriteRule: a command writes into an agent's or a shell's start-up configuration.
func agentConfigWriteRule() rule {
	return rule{RuleInfo: RuleInfo{"agent-config-write", Code, diag.Warning, "a command writes into an agent's or a shell's start-up configuration",
		"Hooks, start-up files, schedules and agents' settings run later, unasked and unreviewed.",
		"Leave such files to their owner: describe the change, or propose it."},
		patterns: []pattern{{
			near: []string{".claude", ".codex", ".cursor", ".gemini", ".openclaw", ".bashrc", ".zshrc", ".profile", ".bash_profile", ".zprofile", ".git/hooks", "authorized_keys", "launchagents", "launchdaemons", "/etc/cron", "/etc/systemd", "/etc/rc.local", "claude.md", "agents.md", "soul.md", "memory.md"},
			re: expr(`(?i)(?:>>?\s*|\btee\s+(?:-a\s+)?|\bsed\s+-i\S*\s[^\n|;]*?)["']?(?:\$HOME|\$\{HOME\}|~|/root|/home/\w+)?/?(?:[\w.-]+/)*(?:\.claude/(?:settings\S*|CLAUDE\.md|hooks/\S+)|\.codex/\S+|\.cursor/(?:mcp\.json|rules\S*)|\.gemini/settings\S*|\.openclaw/\S*(?:json|\.md)|\.(?:bashrc|zshrc|profile|bash_profile|zprofile)\b|\.git/hooks/\S+|\.ssh/authorized_keys|/etc/(?:cron\S*|systemd\S*|rc\.local)|(?:CLAUDE|AGENTS|SOUL|MEMORY|IDENTITY)\.md)` +
				`|\b(?:open|writeFileSync|writeFile|appendFile|appendFileSync)\(\s*[^\n,]*?(?:\.claude/|\.codex/|\.cursor/|\.gemini/|\.bashrc|\.zshrc|\.profile|\.git/hooks|authorized_keys|LaunchAgents|CLAUDE\.md|AGENTS\.md|SOUL\.md)[^\n,]*,\s*[^\n]{0,20}["'][aw]|\b(?:appendFile|writeFile)(?:Sync)?\([^\n]*(?:\.claude/|\.bashrc|\.zshrc|\.git/hooks|authorized_keys|SOUL\.md|CLAUDE\.md)`),
			in: code | prose | data | hidden, severity: diag.Warning, confidence: 0.7, judge: dropNegated,
		}, {
			near: []string{"crontab"},
			re:   expr(`(?i)\|\s*crontab\s+-(?:\s|$|\n)|\bcrontab\s+(?:-u\s+\w+\s+)?/\S+`),
			in:   anywhere, severity: diag.Warning, confidence: 0.7, judge: dropNegated,
		}}}
}
