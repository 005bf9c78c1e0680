package scan

import "github.com/assent-dev/assent/engine/base/diag"

// crossSkillRule: the text reaches into other capabilities.
func crossSkillRule() rule {
	return rule{grows: true, RuleInfo: RuleInfo{"cross-skill", Instructions, diag.Warning, "the text reaches into other capabilities",
		"A capability that edits, disables or impersonates others takes over an agent that linked only one of them.",
		"Propose a change of the other capability instead."},
		patterns: []pattern{{
			near: []string{"other skill", "other tool", "other plugin", "other mcp", "other capab", "the other", "all other", "any other", "every other", "installed skill", "installed tool", "installed plugin", "existing skill", "existing tool", "existing plugin", "competing", "remaining skill", "neighbouring"},
			re:   said(`\b(?:modify|edit|overwrite|patch|disable|delete|remove|replace|rewrite|rename|uninstall|unload|change|alter|shadow|hijack|inject (?:\w+ ){0,4}?into|append (?:\w+ ){0,4}?to|instead of|stop using|do not use|don['’]t use|never use|ignore|block) (?:(?:all|any|every|each|the|of|use|using) ){0,4}(?:other|installed|existing|competing|neighbou?ring|remaining) (?:\w+ )?(?:skill|tool|capabilit|plugin|mcp server)\w*`),
			in:   prose | hidden | data, severity: diag.Warning, confidence: 0.5, judge: judgeCross,
		}, {
			near: []string{"skill.md"},
			re:   said(`\b(?:add|append|insert|write|prepend|put|inject|change|edit|replace|remove|delete|rewrite|paste|copy)\b[^.]{0,60}?\b(?:each|every|all|any|other|the other)(?: of the)? (?:(?:other|installed|existing) )?SKILL\.md`),
			in:   prose | hidden | data, severity: diag.Warning, confidence: 0.6, judge: judgeEachSkill,
		}, {
			near: []string{"skills named", "skill named", "skills called", "skill called", "security skill", "scanner skill", "skills that scan", "skills that check"},
			re:   said(`\b(?:remove|delete|disable|uninstall|unload|block|overwrite) (?:\w+ ){0,3}?(?:skills? (?:named|called)|(?:security|scanner) skills?|skills that (?:scan|check))\b`),
			in:   prose | hidden | data, severity: diag.Warning, confidence: 0.6, judge: dropNegated,
		}, {
			near: []string{"before any", "before every", "before all", "over any", "over all", "over every", "instead of any", "instead of all", "instead of every", "this skill first", "always load", "first and obey"},
			re:   said(`\b(?:always |must be )?(?:load(?:ed)?|read|use|run|consult(?:ed)?|prefer(?:red)?) (?:this skill|[\w-]+) (?:first|before (?:any|every|all)|over (?:any|all|every)|instead of (?:any|all|every))(?: \w+){0,2}? (?:other )?skills?\b`),
			in:   prose | hidden | data, severity: diag.Note, confidence: 0.3, judge: dropNegated,
		}}}
}

// judgeCross: to prefer another tool is advice; to change it is not.
func judgeCross(d *document, m *match) bool {
	if advice.MatchString(d.text[m.start:m.end]) {
		m.lower(diag.Note)
		m.confidence = 0.3
		return soften(d, m)
	}
	return dropNegated(d, m)
}

// advice matches what only steers a choice.
var advice = said(`^(?:instead of|stop using|do not use|don['’]t use|never use|ignore|block)\b`)

// judgeEachSkill drops what is done on request.
func judgeEachSkill(d *document, m *match) bool {
	return !onRequest.MatchString(d.sentence(m.start)) && dropNegated(d, m)
}

// onRequest matches a clause that leaves the decision to the user.
var onRequest = said(`\b(?:if|when|where|once|as|unless) (?:the )?(?:users?|owners?|they|somebody|someone) (?:\w+ )?(?:asks?|wants?|requests?|agrees?|confirms?|approves?)\b|\bon request\b`)
