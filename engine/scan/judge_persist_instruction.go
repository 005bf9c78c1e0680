package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// permanent matches words that make an entry an order for later.
var permanent = said(`\b(?:always|never remove|never delete|every (?:session|task|conversation|time|message)|all (?:later|future) (?:sessions?|tasks?)|in future|permanent(?:ly)?|from now on|loyalty|obey|instruct(?:ion|s)?|rule|first|do not remove|survives?|must)\b`)

// judgePersistence lowers most writes to notes: skills that manage such files say so
// in their own words and ask. It is enough that a person sees the line.
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

// obeyed matches an entry, given word for word, that has its readers run or trust the
// words of another text.
var obeyed = said(`^[:,]? ?(?:\n+(?:` + "```" + `\w*\n+)?)?["“>]?[^\n]{0,200}?\b(?:run|execute|obey|carry out|follow|do|approve|trust) (?:(?:the|any|all|every|each|such|its|their|whatever|what|that) ){1,3}(?:\w+ )?(?:texts?|contents?|words?|lines?|orders?|it says|they say|it asks|stands|comes|instructions? (?:in|of|from|at)|commands? (?:in|of|from|at)|requests? (?:of|from)|packages? of|tasks? of)\b`)

// standing matches an entry that is itself an order, given word for word.
var standing = said(`\b(?:this|these|that|the) (?:following )?(?:line|instruction|rule|sentence|order|directive|text|section|paragraph)s?\b|["“]`)
