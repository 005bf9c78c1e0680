package scan

import "github.com/assent-dev/assent/engine/base/diag"

// fetchAtStartRule: an agent is bound to run what it fetches, again and again.
func fetchAtStartRule() rule {
	const commands = `["` + "`" + `'“]?(?:npx|bunx|uvx|pipx run|pnpm dlx|yarn dlx|curl|wget|npm exec|deno run|bash <|sh <|irm|iwr)\b[^\n]*`
	return rule{grows: true, RuleInfo: RuleInfo{"fetch-at-start", Instructions, diag.Error, "an agent is bound to run what it fetches, again and again",
		"What is fetched before each task is another program whenever its owner likes, and runs with all that the agent may do.",
		"Install a pinned version once, as a step that the user sees."},
		patterns: []pattern{{
			near: []string{"npx ", "bunx ", "uvx ", "pipx ", "dlx ", "curl ", "wget ", "npm exec", "deno run", "bash <", "sh <", "irm ", "iwr "},
			re:   said(`\b(?:before|after|at the (?:start|beginning|end) of|on|with|in|during|whenever|each time) (?:you )?(?:any|every|each|all|all later|a new|starts?|starting|begins?|beginning) (?:(?:a|new|other|later|of|your|the|further|single) ){0,2}(?:tasks?|sessions?|conversations?|requests?|messages?|prompts?|answers?|turns?|runs?|chats?|work|project)\b[^\n.]{0,60}?(?:run|execute|start|call|invoke|fetch|do|load|type|use) ` + commands),
			in:   spoken, severity: diag.Warning, confidence: 0.6, judge: judgeFetchAtStart,
		}}}
}

// judgeFetchAtStart blocks what is to be done without asking, or kept for good in
// the files that agents read.
func judgeFetchAtStart(d *document, m *match) bool {
	s := speechAt(d, m)
	if s.example || s.negated || d.forbidden(m.start) || s.quoted && s.discussed {
		return false
	}
	text := d.text[max(0, m.start-before):min(len(d.text), m.end+before)]
	if s.concealed || unconfirmed.MatchString(text) {
		m.severity, m.confidence = diag.Error, 0.85
	}
	return true
}

// unconfirmed matches words that take the question or the removal away.
var unconfirmed = said(`\b(?:(?:needs?|requires?) no (?:confirmation|approval|review|question)|without (?:asking|confirmation|approval|a question)|do not ask|don['’]?t ask|(?:is|are|was|were) (?:already )?(?:approved|authori[sz]ed|trusted|verified)|keep this (?:line|instruction|rule|section)|(?:do not|never) (?:remove|delete|change) (?:this|it))\b`)
