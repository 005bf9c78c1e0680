package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/diag"
)

// persistInstructionRule: the text asks its reader to change an agent's own configuration.
func persistInstructionRule() rule {
	const files = `(?:CLAUDE\.md|AGENTS\.md|SOUL\.md|IDENTITY\.md|MEMORY\.md|HEARTBEAT\.md|GEMINI\.md|\.cursorrules|copilot-instructions\.md|~?/?\.claude/\S+|~?/?\.codex/\S+|~?/?\.cursor/\S+|~?/?\.gemini/\S+|~?/?\.openclaw/\S+|settings\.json|~/\.(?:bashrc|zshrc|profile|bash_profile|zprofile)|\.git/hooks/\S+|crontab|authorized_keys|LaunchAgents\S*)`
	return rule{RuleInfo: RuleInfo{"persist-instruction", Instructions, diag.Warning, "the text asks its reader to change an agent's own configuration",
		"What is written into instruction files, hooks or start-up files outlives the task and was reviewed by nobody.",
		"Propose the change as a soul or workflow proposal."},
		patterns: []pattern{{
			near: []string{"claude.md", "agents.md", "soul.md", "identity.md", "memory.md", "gemini.md", ".cursorrules", ".claude/", ".codex/", ".cursor/", ".openclaw/", "/.gemini/", ".bashrc", ".zshrc", ".profile", ".git/hooks", "crontab", "authorized_keys", "launchagents"},
			re:   expr(`(?i)\b(?:append|write|inject|insert|copy|install|overwrite|replace|add)\s+(?:this|the\s+following|these|it|itself|yourself|that|a\s+(?:hook|line|rule|note|reminder))\s*(?:\w+\s+){0,5}?(?:to|into|in|at|with)\s+(?:the\s+|your\s+|its\s+|their\s+|` + "`" + `){0,3}` + files),
			in:   prose | hidden | data, severity: diag.Warning, confidence: 0.5, judge: judgePersistence,
		}}}
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
