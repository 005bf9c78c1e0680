package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// injectOverrideRule: the text tells its reader to drop earlier instructions.
func injectOverrideRule() rule {
	return rule{RuleInfo: RuleInfo{"inject-override", Instructions, diag.Error, "the text tells its reader to drop earlier instructions",
		"This is the classic prompt injection; a capability adds to an agent's instructions, it never replaces them.",
		"Delete the sentence. If it is an example of an attack, quote it and say so."},
		patterns: []pattern{{
			near: []string{"ignor", "disregard", "forget", "overrid", "overrul", "set aside", "not follow", "stop following", "no longer follow", "stop obeying", "discard", "abandon", "do not obey", "pay no attention", "nullify", "supersede"},
			re: said(`\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|overrid(?:e|ing)|overrule|set aside|stop (?:following|obeying)|(?:do not|don['’]t|no longer) (?:follow|obey)|discard|abandon|pay no attention to|nullify|supersedes?) (?:(?:all|any|every|each|of|the|your|these|those|my|its|everything|whatever|other) ){0,4}` +
				`(?:previous(?:ly)?|prior|above|earlier|preceding|existing|original|former|system|safety|foregoing|initial|old|other|given|developer['’]?s?|operator['’]?s?|user['’]?s?) (?:\w+ ){0,2}?(?:instruction|prompt|rule|guideline|guidance|directive|direction|order|message|constraint|polic|command|programming|training)\w*`),
			in: spoken | code, severity: diag.Error, confidence: 0.9, judge: judgeOverride,
		}, {
			near: []string{"forget everything", "ignore everything", "disregard everything", "forget all", "forget your", "disregard your", "ignore your", "disregard all", "ignore whatever", "forget whatever", "disregard whatever", "forget what", "ignore what", "disregard what", "disregard any"},
			re:   said(`\b(?:forget|ignore|disregard) (?:every ?thing (?:above|before|you (?:know|were|have been)|previous|prior|that (?:came|was|has|stands)|else)|what(?:ever)? (?:you (?:were|have been)|was) (?:told|taught|said|given|instructed)(?: \w+)?|(?:all |any )(?:of )?(?:instructions|rules|guidelines|prompts) (?:before|above|given|that came|you)|(?:all (?:of )?)?(?:your|you) (?:\w+ ){0,2}?(?:instructions|guidelines|rules|training|programming|constraints|directives|orders|system prompt))`),
			in:   spoken | code, severity: diag.Error, confidence: 0.9, judge: judgeOverride,
		}, {
			near: []string{"new instruction", "updated instruction", "real instruction", "actual instruction", "new system prompt", "true instruction", "real task", "only instruction"},
			re:   said(`(?:^|[\n.!>]|<!--)\s*(?:your |here are (?:your )?|the following are (?:your )?|these are (?:your )?)?(?:new|updated|real|actual|true|only) (?:system )?(?:instructions?|prompt|task)\s*(?::|are\b|follow\b|supersede|override|replace|begin)`),
			in:   spoken, severity: diag.Warning, confidence: 0.6, judge: soften,
		}, {
			near: []string{"out of date", "outdated", "obsolete", "no longer valid", "no longer in force", "no longer appl", "superseded", "is void", "are void"},
			re:   said(`\b(?:system (?:prompt|message)|(?:your|the|all) (?:\w+ )?instructions|your (?:\w+ )?rules)(?: (?:above|before this|you were given|so far))? (?:is|are) (?:now )?(?:out of date|outdated|obsolete|void|no longer (?:valid|in force|applicable)|superseded)\b|\b(?:your|the system) (?:\w+ )?(?:instructions|rules|prompt) no longer appl(?:y|ies)\b`),
			in:   spoken, severity: diag.Warning, confidence: 0.6, judge: soften,
		}, {
			near: []string{"only this", "this file alone", "nothing else", "only the lines", "only the text", "only these", "only follow", "follow only", "obey only", "obey this", "the only one that counts", "no other instruction", "instead of your"},
			re:   said(`\b(?:follow|obey|trust|heed) (?:only|just|nothing but) (?:this|these|the (?:lines|text|instructions|rules|orders) (?:below|here|in this|that follow))|\b(?:obey|follow) this (?:file|text|skill|document|page|message) (?:alone|only|and nothing else)|\b(?:no other|instead of your(?: \w+)?) instructions?\b`),
			in:   spoken, severity: diag.Warning, confidence: 0.6, judge: soften,
		}}}
}

// judgeOverride keeps a bare imperative certain; a phrase with an object that
// belongs to the reader's own work ("ignore previous messages in the thread")
// is for a person to judge.
func judgeOverride(d *document, m *match) bool {
	lead := d.text[max(0, m.start-60):m.start]
	if i := strings.LastIndexAny(lead, "\n.!?:;>"); i >= 0 {
		lead = lead[i+1:]
	}
	if words := len(strings.Fields(lead)); words > 6 {
		m.lower(diag.Warning)
		m.confidence = 0.6
	}
	object := strings.ToLower(d.text[m.start:m.end])
	if !containsAny(object, "instruction", "prompt", "everything", "guideline", "training", "told") {
		m.lower(diag.Warning)
		m.confidence = 0.5
	}
	return soften(d, m)
}
