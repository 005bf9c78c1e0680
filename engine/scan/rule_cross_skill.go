package scan

import "github.com/assent-dev/assent/engine/diag"

// crossSkillRule: the text reaches into other capabilities.
func crossSkillRule() rule {
	return rule{RuleInfo: RuleInfo{"cross-skill", Instructions, diag.Warning, "the text reaches into other capabilities",
		"A capability that edits, disables or impersonates others takes over an agent that linked only one of them.",
		"Propose a change of the other capability instead."},
		patterns: []pattern{{
			near: []string{"other skill", "all skills", "every skill", "other tools", "all other tools", "installed skills"},
			re:   expr(`(?i)\b(?:modify|edit|overwrite|patch|disable|delete|remove|replace|inject\s+(?:\w+\s+){0,4}?into|append\s+(?:\w+\s+){0,4}?to|instead\s+of)\s+(?:all\s+|any\s+|every\s+|the\s+)*(?:other|installed|existing)\s+(?:skill|tool|capabilit|plugin|mcp\s+server)\w*`),
			in:   prose | hidden | data, severity: diag.Warning, confidence: 0.5, judge: dropNegated,
		}}}
}
