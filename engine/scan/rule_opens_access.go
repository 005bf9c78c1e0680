package scan

import "github.com/assent-dev/assent/engine/base/diag"

// opensAccessRule: the text opens something to others.
func opensAccessRule() rule {
	return rule{RuleInfo: RuleInfo{"opens-access", Instructions, diag.Note, "the text opens something to others",
		"A public link, a wider role or a mode of 777 outlives the task that it was set for.",
		"Give access to whom the user names, and no wider than the task needs."},
		patterns: []pattern{
			shownRemarks([]string{"public", "everyone", "everybody", "anyone", "chmod", "permission", "access", "visib", "admin", "role"},
				`\bchmod (?:-R )?(?:0?[0-7]?[0-7]?[67][67]|a\+\w+|\+x)\b[^\n`+"`"+`]{0,40}|\b(?:mak|set|shar|grant|giv|open|publish|chang|add|invit|assign)(?:e|es|s|ing)?\b `+words(`8`)+`(?:public(?:ly)?|everyone|everybody|anyone|all users|world[- ]readable|(?:admin\w*|owner|write|full|root|editor) (?:access|rights?|role|permissions?|privileges?)|permissions?|visib\w*|access to all)\b`),
		}}
}
