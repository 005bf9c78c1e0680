package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// persistInstructionRule: the text asks its reader to change an agent's own configuration.
func persistInstructionRule() rule {
	const files = `(?:(?:~|/root|/home/\w+|\$HOME)?/?\.ssh/authorized_keys|CLAUDE\.md|AGENTS\.md|SOUL\.md|IDENTITY\.md|MEMORY\.md|HEARTBEAT\.md|USER\.md|TOOLS\.md|GEMINI\.md|\.cursorrules|copilot-instructions\.md|~?/?\.claude/\S+|~?/?\.codex/\S+|~?/?\.cursor/\S+|~?/?\.gemini/\S+|~?/?\.openclaw/\S+|settings\.json|(?:~/)?\.(?:bashrc|zshrc|profile|bash_profile|zprofile)|\.git/hooks/\S+|git hooks?|(?:the )?crontab|authorized_keys|LaunchAgents\S*|(?:shell|login) (?:profile|start-?up file)|start-?up file of (?:the |your )?shell|(?:your |the agent['’]s |its )?(?:long-term |persistent |permanent )memory|system prompt|(?:(?:other|another|each|every|next) )?agents?['’]s? (?:memory|memories|instructions|prompts))`
	return rule{grows: true, RuleInfo: RuleInfo{"persist-instruction", Instructions, diag.Warning, "the text asks its reader to change an agent's own configuration",
		"What is written into instruction files, hooks or start-up files outlives the task and was reviewed by nobody.",
		"Propose the change as a soul or workflow proposal."},
		patterns: []pattern{{
			near: []string{"claude.md", "agents.md", "soul.md", "identity.md", "memory.md", "gemini.md", "user.md", "tools.md", "heartbeat.md", ".cursorrules", "copilot-instructions", ".claude/", ".codex/", ".cursor/", ".openclaw/", "/.gemini/", ".bashrc", ".zshrc", ".profile", ".git/hooks", "git hook", "crontab", "authorized_keys", "launchagents", "shell profile", "login profile", "start-up file", "startup file", "-term memory", "persistent memory", "permanent memory", "your memory", "the system prompt", "other agents", "agent's mem", "agents' mem", "agent’s mem", "agents’ mem"},
			re:   said(`\b(?:append|write|inject|insert|copy|install|overwrite|replace|add|put|save|store|prepend|record|plant|place|include|remember|persist|keep)\b[^\n]*?(?:\b(?:to|into|in|at|with|on top of)) (?:(?:the|your|its|their|each|every|my|user['’]s|agent['’]s|project['’]s|a|file|top|of|end|line) ){0,4}` + files),
			in:   prose | hidden | data, severity: diag.Warning, confidence: 0.5, judge: judgePersistence,
		}, {
			near: []string{"soul.md", "identity.md"},
			re:   said(`\b(?:open|edit|change|modify|rewrite|in|go (?:in)?to) (?:(?:the|your|its|their|agent['’]s|file) ){0,3}(?:SOUL|IDENTITY)\.md\b[^.]{0,60}?\b(?:replace|remove|delete|drop|overwrite|swap|strike|change|rewrite)\b[^.]{0,60}?\b(?:sections?|boundar\w+|rules?|limits?|values?|principles?|lines?|identity|name|core)\b|\b(?:replace|remove|delete|drop|overwrite|strike|rewrite)\b[^.]{0,60}?\b(?:sections?|boundar\w+|rules?|limits?|values?|principles?|identity|core)\b[^.]{0,30}? (?:in|of|from) (?:(?:the|your|its|their|agent['’]s|file) ){0,3}(?:SOUL|IDENTITY)\.md\b`),
			in:   prose | hidden | data, severity: diag.Warning, confidence: 0.6, judge: dropNegated,
		}}}
}

// permanent matches what makes an entry an order for later.
var permanent = said(`\b(?:always|never remove|never delete|every (?:session|task|conversation|time|message)|all (?:later|future) (?:sessions?|tasks?)|in future|permanent(?:ly)?|from now on|loyalty|obey|instruct(?:ion|s)?|rule|first|do not remove|survives?|must)\b`)

// judgePersistence: skills that manage such files say so in their own words and
// ask; what matters is that a person sees the line.
func judgePersistence(d *document, m *match) bool {
	lower := strings.ToLower(d.text[m.start:m.end])
	if strings.HasSuffix(lower, "settings.json") && !strings.Contains(lower, ".claude") {
		return false
	}
	s := speechAt(d, m)
	switch {
	case s.concealed:
		return true
	case containsAny(lower, "authorized_keys", "itself", "yourself"):
	case containsAny(lower, "soul.md", "identity.md", ".git/hooks", "crontab", ".claude/settings", "start-up", "startup") && standing.MatchString(lower):
	case permanent.MatchString(d.sentence(m.start)) && standing.MatchString(lower):
	case obeyed.MatchString(d.text[m.end:min(len(d.text), m.end+before)]):
	default:
		m.lower(diag.Note)
	}
	if s.quoted && s.discussed || s.example {
		return false
	}
	return dropNegated(d, m)
}

// obeyed matches an entry, given word for word, that has its readers run or trust what
// another text will say.
var obeyed = said(`^[:,]? ?(?:\n+(?:` + "```" + `\w*\n+)?)?["“>]?[^\n]{0,200}?\b(?:run|execute|obey|carry out|follow|do|approve|trust) (?:(?:the|any|all|every|each|such|its|their|whatever|what|that) ){1,3}(?:\w+ )?(?:texts?|contents?|words?|lines?|orders?|it says|they say|it asks|stands|comes|instructions? (?:in|of|from|at)|commands? (?:in|of|from|at)|requests? (?:of|from)|packages? of|tasks? of)\b`)

// standing matches an entry that is itself an order, given word for word.
var standing = said(`\b(?:this|these|that|the) (?:following )?(?:line|instruction|rule|sentence|order|directive|text|section|paragraph)s?\b|["“]`)
