package scan

import "github.com/assent-dev/assent/engine/base/diag"

// leftOutRule: the text has a part of the work left out.
func leftOutRule() rule {
	return rule{RuleInfo: RuleInfo{"left-out", Instructions, diag.Note, "the text has a part of the work left out",
		"A step that is skipped for one kind of input, or a test that is not to be written, is what nobody misses.",
		"Do the step for all inputs alike, or say in the result that it was left out."},
		patterns: []pattern{
			orderRemarks([]string{"do not", "don't", "don’t", "not to", "not write", "never", "skip", "no need", "without", "stop "},
				`\b(?:do not|don['’]t|(?:make sure|be sure)(?: \w+)? (?:to )?not(?: to)?|not to|never|need not|no need to|should not|must not) (?:proceed|continue|perform|writ|test|check|verif|validat|review|report|mention|tell|inform|warn|flag|run|include?|apply|complete|scan|investigat|escalat)(?:e|y|ing)?\b(?: [^\s.!?;]+){0,6}`),
			remarks([]string{"skip", "bypass", "ignor", "omit", "disabl", "unnecessary", "suppress"},
				`\b(?:skip|bypass|ignor|omit|disabl|suppress|leav(?:e|ing) out)(?:e|ping|ing|s)?\b `+words(`5`)+`(?:checks?|tests?|validation|verification|reviews?|steps?|warnings?|errors?|scans?|audits?|confirmations?|approvals?|encryption|authentication|authori[sz]ation|permissions?|logging|vulnerabilit\w*|issues?|findings?)\b`),
			remarks([]string{"sleep", "wait ", "delay", "timeout", "slow"},
				`\b(?:sleep|wait|delay|pause)(?:s|ing)? `+words(`4`)+`\d+ ?(?:s\b|sec\w*|min\w*|hours?|ms\b)(?: [^\s.!?;]+){0,4}`),
		}}
}
