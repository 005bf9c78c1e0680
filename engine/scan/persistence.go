package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/diag"
)

// persistenceRules find text and code that change an agent behind its owner's
// back, or make it act beyond the task at hand.
func persistenceRules() []rule {
	const files = `(?:CLAUDE\.md|AGENTS\.md|SOUL\.md|IDENTITY\.md|MEMORY\.md|HEARTBEAT\.md|GEMINI\.md|\.cursorrules|copilot-instructions\.md|~?/?\.claude/\S+|~?/?\.codex/\S+|~?/?\.cursor/\S+|~?/?\.gemini/\S+|~?/?\.openclaw/\S+|settings\.json|~/\.(?:bashrc|zshrc|profile|bash_profile|zprofile)|\.git/hooks/\S+|crontab|authorized_keys|LaunchAgents\S*)`
	return []rule{
		{RuleInfo: RuleInfo{"persist-instruction", Instructions, diag.Warning, "the text asks its reader to change an agent's own configuration",
			"What is written into instruction files, hooks or start-up files outlives the task and was reviewed by nobody.",
			"Propose the change as a soul or workflow proposal."},
			patterns: []pattern{{
				near: []string{"claude.md", "agents.md", "soul.md", "identity.md", "memory.md", "gemini.md", ".cursorrules", ".claude/", ".codex/", ".cursor/", ".openclaw/", "/.gemini/", ".bashrc", ".zshrc", ".profile", ".git/hooks", "crontab", "authorized_keys", "launchagents"},
				re:   expr(`(?i)\b(?:append|write|inject|insert|copy|install|overwrite|replace|add)\s+(?:this|the\s+following|these|it|itself|yourself|that|a\s+(?:hook|line|rule|note|reminder))\s*(?:\w+\s+){0,5}?(?:to|into|in|at|with)\s+(?:the\s+|your\s+|its\s+|their\s+|` + "`" + `){0,3}` + files),
				in:   prose | hidden | data, severity: diag.Warning, confidence: 0.5, judge: judgePersistence,
			}}},
		{RuleInfo: RuleInfo{"duty", Instructions, diag.Note, "the text lays down a duty for every task, not only for its own",
			"A capability is linked for one purpose; a rule for every message or every task reaches beyond it.",
			"Limit the sentence to the work that this capability is for."},
			patterns: []pattern{{
				near: []string{"every", "each", "any", "always"},
				re:   expr(`(?i)\b(?:(?:before|after|on|at\s+the\s+(?:start|end)\s+of|for|during|with)\s+(?:every|each|any)\s+(?:single\s+)?(?:task|message|response|reply|request|conversation|session|turn|interaction|prompt|user\s+message|tool\s+(?:call|use)|commit|file\s+(?:read|write|edit))s?\b|\balways\s+(?:first\s+)?(?:send|run|execute|upload|post|append|include|call|fetch|report|copy|bcc|log)\b)`),
				in:   prose | hidden, severity: diag.Note, confidence: 0.3, judge: judgeDuty,
			}}},
		{RuleInfo: RuleInfo{"cross-skill", Instructions, diag.Warning, "the text reaches into other capabilities",
			"A capability that edits, disables or impersonates others takes over an agent that linked only one of them.",
			"Propose a change of the other capability instead."},
			patterns: []pattern{{
				near: []string{"other skill", "all skills", "every skill", "other tools", "all other tools", "installed skills"},
				re:   expr(`(?i)\b(?:modify|edit|overwrite|patch|disable|delete|remove|replace|inject\s+(?:\w+\s+){0,4}?into|append\s+(?:\w+\s+){0,4}?to|instead\s+of)\s+(?:all\s+|any\s+|every\s+|the\s+)*(?:other|installed|existing)\s+(?:skill|tool|capabilit|plugin|mcp\s+server)\w*`),
				in:   prose | hidden | data, severity: diag.Warning, confidence: 0.5, judge: dropNegated,
			}}},
		{RuleInfo: RuleInfo{"agent-config-write", Code, diag.Warning, "a command writes into an agent's or a shell's start-up configuration",
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
			}}},
	}
}

// judgePersistence: skills that manage such files say so in their own words and
// ask; what matters is that a person sees the line.
func judgePersistence(d *document, m *match) bool {
	lower := strings.ToLower(d.text[m.start:m.end])
	if strings.HasSuffix(lower, "settings.json") && !strings.Contains(lower, ".claude") {
		return false
	}
	if containsAny(lower, "soul.md", "identity.md", ".git/hooks", "authorized_keys", "crontab", ".claude/settings", "itself", "yourself") {
		return dropNegated(d, m)
	}
	if speechAt(d, m).concealed {
		return true
	}
	m.lower(diag.Note)
	return dropNegated(d, m)
}

// judgeDuty raises a duty that sends or runs something elsewhere.
func judgeDuty(d *document, m *match) bool {
	near := strings.ToLower(d.sentence(m.start))
	if containsAny(near, "http://", "https://", "webhook") && containsAny(near, "send", "post", "upload", "curl", "forward", "report") {
		m.severity, m.confidence = diag.Warning, 0.6
		return dropNegated(d, m)
	}
	return speechAt(d, m).concealed || !speechAt(d, m).negated
}
