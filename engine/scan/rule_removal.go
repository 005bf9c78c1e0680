package scan

import "github.com/assent-dev/assent/engine/base/diag"

// removalRule: the text asks for something to be removed, overwritten or taken back.
func removalRule() rule {
	return rule{RuleInfo: RuleInfo{"removal", Instructions, diag.Note, "the text asks for something to be removed, overwritten or taken back",
		"What is deleted, reset or cancelled is gone, whether or not the words around it call it cleaning up.",
		"Name exactly what may go, and ask before it does."},
		patterns: []pattern{
			remarks([]string{"delet", "remov", "eras", "wip", "purg", "clean up", "cleanup", "overwrit", "discard", "cancel", "truncat"},
				`\b(?:delet|remov|eras|wip|purg|overwrit|discard|cancel|truncat|clean(?:ing|s)? up)(?:e|es|ed|ing|s|ping|e?ling)?\b `+words(`5`)+`(?:originals?|files?|versions?|cop(?:y|ies)|folders?|director(?:y|ies)|events?|entr(?:y|ies)|occurrences?|records?|rows|tables?|data|e?mails?|messages?|branch(?:es)?|commits?|history|logs?|backups?|contacts?|accounts?|users?|database|documents?|appointments?|meetings?|list|evidence)\b`),
			shownRemarks([]string{"rm -", "rm $", "git reset", "git clean", "force", "drop ", "truncate ", "rmtree", "unlink", "os.remove", "filter-branch", "branch -d"},
				`\brm -\w*[rf]\w*[^\n`+"`"+`]{0,60}|\brm \$[^\n`+"`"+`]{0,60}|\bgit (?:reset --hard|clean -\w*f|filter-branch|branch -D|push [^\n]{0,40}(?:--force|-f\b))[^\n`+"`"+`]{0,40}|\b(?:drop table|drop database|truncate table)[^\n]{0,40}|\b(?:shutil\.rmtree|os\.remove|os\.unlink|fs\.unlink\w*|fs\.rm\w*)\([^\n]{0,60}`),
		}}
}
