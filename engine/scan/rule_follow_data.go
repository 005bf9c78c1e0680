package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/diag"
)

// followDataRule: the text has its reader obey what others' data says.
func followDataRule() rule {
	return rule{grows: true, RuleInfo: RuleInfo{"follow-data", Instructions, diag.Warning, "the text has its reader obey what a page, message or file says",
		"Whoever writes that data then commands the agent; text that is fetched later was reviewed by nobody.",
		"Treat what comes from outside as data. Put instructions into the capability, where they are reviewed."},
		patterns: []pattern{{
			near: []string{"obey", "carry out", "carried out", "do whatever", "do what ", "do anything it", "do as it", "follow them without", "follow whatever", "execute whatever", "run whatever", "execute any", "run any", "run them", "execute them", "as instructed", "are instructions", "is an instruction", "as instructions", "as an instruction", "as commands", "as orders", "follow any", "follow all"},
			re:   said(`\b(?:(?:obey|carry out|follow|execute|perform|run|act on) (?:whatever|any|all|every|each|the|those|such|embedded) ?(?:\w+ ){0,3}?(?:instructions?|orders?|commands?|directives?|requests?) (?:\w+ ){0,4}?(?:in|inside|from|within|on) (?:the |any |that |each |its |this |their |a |such )*(?:\w+ )?(?:pages?|documents?|e?-?mails?|messages?|responses?|diffs?|comments?|pdfs?|websites?|urls?|replies|reply|results?|issues?|attachments?|web|data|inbox|tickets?|transcripts?|posts?)|(?:instructions?|orders?|commands?|directives?)[^.]{0,80}? (?:are|is|must be|should be|get|gets) (?:to be )?(?:obeyed|carried out|followed|executed|run)\b|do (?:whatever|what|anything|everything|as) (?:it|they|he|she|such an? \w+|that \w+|the (?:page|message|mail|e-?mail|document|text|comment|sender|response|reply|file)) (?:asks?|says?|tells?|orders?|wants?|demands?)|(?:are|is|count as|treat(?:ed)? (?:\w+ ){0,4}?as) (?:an? |trusted )?(?:instructions?|commands?|orders?) (?:from|of|to (?:you|follow|obey))|follow (?:them|it) without)`),
			in:   prose | plain | hidden | data, severity: diag.Note, confidence: 0.5, judge: judgeFollowData,
		}, {
			near: []string{"and follow", "then follow", "follow it", "follow exactly", "follow the instructions", "follow the steps", "and execute", "then execute", "and obey", "and carry out", "and run what", "and run the instr", "and run the comm", "and run it", "and run them", "and apply", "and do what", "then do what", "do what it", "what it says", "execute the instr", "execute the comm"},
			re:   said(`\b(?:fetch|download|load|read|open|visit|get|curl|retrieve|check)\b[^\n]{0,60}?(https?://[^\s)"'>` + "`" + `]+)[^\n]{0,60}?\b(?:follow|execute|obey|carry out|run|apply|do)(?: (?:exactly|precisely|all|any|the|every|each|whatever|its|those|that|what) ?){0,3} ?(?:instructions?|commands?|directives?|orders?|it says|it tells|it contains|(?:is|are|stands) (?:written|there)|you find|them|it\b)`),
			in:   prose | plain | hidden | data, severity: diag.Warning, confidence: 0.5, judge: dropNegated,
		}}}
}

// judgeFollowData drops what is forbidden or told of others.
func judgeFollowData(d *document, m *match) bool {
	s := speechAt(d, m)
	if s.concealed {
		m.severity, m.confidence = diag.Warning, 0.7
		return true
	}
	lower := strings.ToLower(d.sentence(m.start))
	if s.quoted || s.example || s.discussed && containsAny(lower, "attack", "inject", "malicious", "tries", "try to") {
		return false
	}
	return !d.forbidden(m.start)
}
