package scan

import "github.com/assent-dev/assent/engine/base/diag"

// unaskedRule: the text has its reader act without asking anybody.
func unaskedRule() rule {
	return rule{grows: true, RuleInfo: RuleInfo{"unasked", Instructions, diag.Warning, "the text has its reader act without asking anybody",
		"A question before an act is the user's last chance to stop it; where money, deletion or publication follows, its absence is the harm.",
		"Keep the question, or say which harmless acts need none."},
		patterns: []pattern{{
			near: []string{"without ask", "without confirm", "without approv", "without review", "without consent", "without permission", "without prompt", "without a human", "without human", "without wait", "without further", "without user", "without the user", "without check", "without any",
				"no need to ask", "need to confirm", "not ask", "n't ask", "never ask", "not wait", "n't wait", "never wait", "not confirm", "need not", "has to be asked", "needs to be asked", "needs to approve", "has to approve", "no confirmation", "no approval", "no question", "no review", "no permission", "no sign-off", "answer \"yes", "not needed", "not required", "not necessary", "unnecessary",
				"auto-approv", "auto-confirm", "auto-accept", "auto-merge", "automatically approv", "automatically accept", "automatically confirm", "automatically merge", "automatically submit", "automatically pay", "automatically send", "submit the form automatically",
				"skip the confirm", "skip confirm", "skip the approv", "skip approv", "skip the review", "skip review", "skip all", "skip any", "accept all", "yes to all", "answer yes", "behalf of the user", "without looking", "without reading", "without a look", "regardless of what", "no matter what", "user's behalf", "user’s behalf", "by yourself", "on your own", "right away", "at once", "corrections can follow", "assume consent", "assume the user", "assume yes", "assume approval", "consent is implied", "proceed even if"},
			re: said(`\b(?:without (?:(?:any|the|a|further|prior|first|explicit|user['’]?s?|human|your|their|owner['’]?s?) ){0,3}(?:asking|confirm\w*|approv\w*|review(?:ing)?|consent|permission|prompt(?:ing|s)?|looking|reading|a look|human|questions?|waiting|checking|check)\b|(?:there is )?(?:no|not?) (?:\w+ )?(?:need|necessary|required) to (?:ask|confirm|wait|check|seek)|(?:do not|don['’]t|never|need not|needn['’]t|must not|should not) (?:\w+ )?(?:ask|wait|confirm|seek)(?: (?:for|the|any|them|first|before|back|anybody|anyone|permission|confirmation|approval|again))|(?:nobody|no one|no-one|no human|no person|no user) (?:has|needs|have|need) to (?:be asked|approve|confirm|agree|review|look)|(?:confirmation|approval|review|permission|consent|questions?|sign-off)s? (?:is|are) (?:not|never|no longer|un)[- ]?(?:needed|required|necessary|wanted)|(?:needs?|requires?|takes?|wants?) no (?:\w+ )?(?:confirmation|approval|questions?|review|permission|sign-off)|need not (?:look|be asked|be shown|be told|approve|confirm|agree|review|see)|auto(?:matically|-)[ -]?(?:approv|confirm|accept|merg|submit|pay|send|publish)(?:e|es|ing)?\b|submit \w+(?: \w+)? automatically|skip(?:ping)? (?:(?:the|all|any|every|of) ){0,3}(?:\w+ )?(?:confirmation|approval|review|question|prompt|safety|warning|limit)s?|accept all|(?:say |answer )?yes to all|answer yes|regardless of what|no matter what|on behalf of (?:the )?(?:user|owner|customer)|on (?:the |their )?(?:user|owner)(?:['’]s|s)? behalf|(?:approve|merge|publish|pay|book|buy|order|send|submit|deploy|apply|delete)\w* (?:and \w+ )?(?:\w+ ){0,4}?(?:by yourself|on your own|right away|at once|immediately)|corrections can follow|assume (?:consent|yes|approval|permission|(?:that )?(?:the )?user (?:agrees|has agreed|approves|consents))|consent is implied|proceed even if)`),
			in: prose | plain | hidden, severity: diag.Note, confidence: 0.3, judge: judgeUnasked,
		}, {
			near: []string{"answer", "confirm", "approve", "accept", "allow", "press", "reply", "click"},
			re:   said(`\b(?:if|when|whenever|should) (?:the |your |an? |any )?(?:\w+ ){0,2}?(?:harness|client|sandbox|runtime|reviewer|approval|permission|host application)s?\b[^.]{0,40}?\b(?:asks?|prompts?|wants?|requests?|is (?:needed|required|asked for|requested)|appears?|shows?)\b[^.]{0,40}?\b(?:answer|say|reply|confirm|approve|press|click|accept|allow)\b[^.]{0,30}?\b(?:(?:user|owner)(?:['’]s|s)? behalf|for the (?:user|owner)|in (?:the )?(?:user|owner)(?:['’]s|s)? (?:name|place|stead)|yourself)\b`),
			in:   prose | plain | hidden, severity: diag.Warning, confidence: 0.5, judge: judgeUnasked,
		}}}
}

// grave matches acts that nobody takes back.
var grave = said(`\b(?:pay|pays|payments?|purchase|buy|book (?:it|the)|transfers? (?:it|the|all|money|funds)|withdraw|send money|send funds|force[- ]push|delete all|wipe|erase|any command|whatever command|arbitrary commands?|saved card|(?:credit|debit|bank) card|card of the user|(?:their|user['’]s) card|enter (?:the|their|its) card|refunds?|whatever asks|every prompt|all prompts)\b`)

// judgeUnasked raises it where a grave act stands in the same sentence.
func judgeUnasked(d *document, m *match) bool {
	s := speechAt(d, m)
	if s.concealed {
		m.severity, m.confidence = diag.Warning, 0.6
		return true
	}
	if s.quoted || s.example {
		return false
	}
	if d.forbidden(m.start) {
		return false
	}
	if grave.MatchString(d.sentence(m.start)) && !s.discussed {
		m.severity, m.confidence = diag.Warning, 0.5
	}
	return true
}

// forbidden reports whether the clause before offset forbids what follows.
func (d *document) forbidden(offset int) bool {
	return forbids.MatchString(d.text[d.sentenceSpan(offset).start:offset])
}

// forbids matches a clause that forbids what follows it.
var forbids = said(`\b(?:never|do not|don['’]t|must not|should not|cannot|can['’]t|may not|won['’]t|will not|no \w+|refuse to|avoid|nothing|not)\b[^.;]{0,120}$`)
