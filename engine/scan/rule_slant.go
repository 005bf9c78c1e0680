package scan

import "github.com/assent-dev/assent/engine/base/diag"

// slantRule: the text has its reader slant what it says or how it judges.
func slantRule() rule {
	return rule{RuleInfo: RuleInfo{"slant", Instructions, diag.Note, "the text has its reader slant what it says or how it judges",
		"Nobody who reads the result sees that a score, a name or a view in it was ordered.",
		"State what the result is measured by; leave out whom or what it is to favour."},
		patterns: []pattern{
			remarks([]string{"append", "add ", "include", "insert", "end ", "prepend", "mention", "put "},
				`\b(?:append|add|include?|insert|prepend|end|clos|mention|put)(?:e|s|ing)?\b `+words(`6`)+`(?:phrase|sentence|slogan|disclaimer|tagline|footer|signature|watermark|promotion\w*|adverti[sz]\w*|statement|claim|postscript|ps|text) ?:?(?: [^\s.!?;]+){0,6}`),
			remarks([]string{"rate ", "rank", "score", "favo", "downplay", "highlight", "prefer", "praise", "promot", "recommend", "critici", "emphasi", "exaggerat", "understat", "inflat"},
				`\b(?:(?:never|always|do not|don['’]t) (?:rate|rank|score|favou?r|highlight|prefer|praise|promote|recommend|criti[cs]i[sz]e|emphasi[sz]e|describe|portray|present|claim|mention)\w*|downplay\w*|exaggerat\w*|understat\w*|inflat(?:e|es|ing)\b|favou?r(?:s|ing)\b|(?:rate|rank|score) `+words(`5`)+`(?:higher|lower|above|below|better|worse))\b(?: [^\s.!?;]+){0,6}`),
			remarks([]string{"frame ", "present ", "portray", "describ", "refer to", "rather than", "claim ", "pretend", "attribut", "label ", "replace "},
				`\b(?:frame|present|portray|describe|refer to|label|attribute|claim|pretend|credit|replace) `+words(`8`)+`(?:as|rather than|instead of|authorship|ownership|credit for|with) ['\"“‘][^'\"”’\n]{2,60}|\b(?:automatically|always) claim\w*(?: [^\s.!?;]+){0,6}|\bclaim (?:authorship|ownership|credit)(?: [^\s.!?;]+){0,4}`),
			remarks([]string{"score", "rating", "grade", "estimate", "percent", "%"},
				`\b(?:return|give|assign|report|output|set|award|add|increase|decrease|reduce|raise|lower|multiply|round|boost|adjust|inflate|subtract|deduct)(?:s|ing|e)? `+words(`6`)+`(?:(?:high|low|top|full|perfect|maximum|minimum|good|bad|better|highest|lowest)(?:est)? (?:score|rating|grade|mark|relevance|priority|rank)|\d+ ?(?:%|percent\b))(?: [^\s.!?;]+){0,5}`),
			remarks([]string{"flag ", "politic", "religio", "gender", "opinion", "ideolog"},
				`\b(?:flag|block|ban|remove|hide|report|reject|censor|delete)\b `+words(`8`)+`(?:politic\w*|religio\w*|critici\w*|deny|denial|opinions?|ideolog\w*|views?|gender|ethnic\w*|nationality|nationalities|competitors?)\b`),
		}}
}
