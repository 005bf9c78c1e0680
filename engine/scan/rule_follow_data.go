package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
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
			near: []string{"and follow", "then follow", "follow it", "follow exactly", "follow the instructions", "follow the steps", "and execute", "then execute", "and obey", "and carry out", "and run what", "and run the instr", "and run the comm", "and run it", "and run them", "and apply", "and do what", "then do what", "do what it", "what it says", "what to do", "what you should", "what you must", "what you have to", "what you are to", "execute the instr", "execute the comm"},
			re:   said(`\b(?:fetch|download|load|read|open|visit|get|curl|retrieve|check)\b[^\n]{0,60}?(https?://[^\s)"'>` + "`" + `]+)[^\n]{0,60}?\b(?:follow|execute|obey|carry out|run|apply|do)(?: (?:exactly|precisely|all|any|the|every|each|whatever|its|those|that|what) ?){0,3} ?(?:instructions?|commands?|directives?|orders?|it says|it tells|it contains|(?:is|are|stands) (?:written|there)|you find|them|it\b)|\b(?:fetch|download|load|read|open|visit|get|curl|retrieve|check)\b[^\n]{0,60}?(https?://[^\s)"'>` + "`" + `]+)[^\n]{0,60}?\b(?:it|which|that|they|and) (?:says?|tells?(?: you)?|lists?|explains?) what (?:to do|you (?:do|should|must|have to|are to))\b`),
			in:   prose | plain | hidden | data, severity: diag.Warning, confidence: 0.5, judge: dropNegated,
		}, {
			near: []string{"as part of", "as a part of", "as instructions", "as your ", "as further", "as additional", "as the rules", "as rules", "as binding", "as its own", "as the system", "as system"},
			re:   said(`\b(?:fetch|download|load|read|open|visit|get|curl|retrieve|import)\b[^\n]{0,60}?(https?://[^\s)"'>` + "`" + `]+)[^\n]{0,60}?\b(?:treat|regard|take|use|consider|apply|handle|accept) (?:it|them|that|this|what \w+ \w+|(?:the|its) \w+) as (?:(?:an?|the|your|own|its|further|additional|binding|system|part of (?:this|these|the|your)) ){0,4}?(?:skill|instructions?|rules|guidelines|prompt|orders|persona|soul|memory)\b`),
			in:   prose | plain | hidden | data, severity: diag.Warning, confidence: 0.5, judge: dropNegated,
		}, {
			near: []string{"each time", "every time", "whenever", "each start", "every start", "on start", "each session", "every session", "each run", "every run", "each task", "every task", "each morning", "every morning", "every day", "each day", "daily", "hourly", "each answer", "every answer", "each request", "every request", "each message", "every message", "each hour", "every hour"},
			re:   said(`\b(?:(?:each|every) (?:time|start|session|run|task|morning|day|hour|answer|request|message|use|conversation)|whenever|on start(?:-?up)?|daily|hourly)\b[^.]{0,80}?\b(?:fetch|download|load|read|open|visit|get|curl|retrieve|pull|check)\b[^\n]{0,60}?(https?://[^\s)"'>` + "`" + `]+)[^\n]{0,60}?\b(?:follow|execute|obey|carry out|act on|do|perform|take over) (?:(?:what(?:ever)?|all|any|the|every|each|its|those|that|latest|new) ){0,3}(?:steps|tasks?|orders?|rules?|actions?|jobs?|todos?|instructions?|it says|it asks|it tells|is written|stands)\b`),
			in:   prose | plain | hidden | data, severity: diag.Warning, confidence: 0.6, judge: dropNegated,
		}, {
			near: []string{"addressed to you", "directed to you", "directed at you", "meant for you", "written for you", "written to you"},
			re:   said(`\b(?:texts?|lines?|words?|whatever|anything|passages?|messages?|comments?|parts?|sentences?|notes?)\b[^.]{0,100}? (?:is|are) (?:addressed|directed|written|meant) (?:to|for|at) you\b[^.]{0,80}?\b(?:act on|obey|follow|do (?:it|what|so)|carry out|execute|comply)\b`),
			in:   prose | plain | hidden | data, severity: diag.Warning, confidence: 0.6, judge: judgeFollowData,
		}, {
			near: []string{"commands, ", "command, ", "instructions, ", "orders, ", "commands: ", "instructions: ", "commands then", "instructions then"},
			re:   said(`\b(?:if|when|where|whenever) [^.]{0,60}?\b(?:hold|contain|include|list|bring|have|has|carr(?:y|ies)|begins? with|comes? with)s? (?:\w+ ){0,2}?(?:commands?|instructions?|orders?)[,:]? (?:then )?(?:run|execute|follow|obey|carry out|do|perform) (?:it|them|those|these|what|all)\b`),
			in:   prose | plain | hidden | data, severity: diag.Note, confidence: 0.5, judge: judgeFollowData,
		}, {
			near: []string{"asks for", "asks you", "ask for", "begins with", "starts with", "requests a", "wants a", "holds the", "contains the", "as they come in", "are to be done", "is to be done", "be fulfilled", "be granted", "as they arrive"},
			re:   said(`\b(?:if|when|whenever) (?:an? |the |any |some(?:body|one) |another )?(?:\w+ ){0,3}?(?:e?-?mails?|messages?|comments?|tickets?|issues?|senders?|chats?|posts?|colleagues?|customers?|visitors?)\b[^.,]{0,60}?\b(?:asks?|requests?|orders?|wants?|begins? with|starts? with|holds? the|contains? the)\b[^.]{0,100}?\b(?:(?:execute|run|obey|carry out|grant|fulfil|follow|perform) (?:it|them|that|this|what|the rest|the request|whatever)|(?:attach|send|share|forward|open|give|look for) (?:it|them|that)\b|do (?:it|so|that|what)\b)|\b(?:requests?|orders?|wishes) (?:of|from|by|in) [^.]{0,60}? (?:are|is) (?:to be )?(?:done|granted|fulfilled|met|acted on|complied with)\b`),
			in:   prose | plain | hidden | data, severity: diag.Note, confidence: 0.4, judge: judgeFollowData,
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
