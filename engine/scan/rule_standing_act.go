package scan

import "github.com/assent-dev/assent/engine/base/diag"

// standingActRule: the text binds an act to a moment of the work.
func standingActRule() rule {
	return rule{RuleInfo: RuleInfo{"standing-act", Instructions, diag.Note, "the text binds an act to a moment of the work",
		"What is done after every edit or before every answer happens without anybody asking for it, for as long as the capability is linked.",
		"Say in the text what the act is for, or leave it to the user to ask for it."},
		patterns: []pattern{
			remarks([]string{"after ", "before ", "while ", "when ", "once ", "whenever ", "upon "},
				`\b(?:after|before|whenever|upon|when|while|once) (?:you )?(?:have |are |had )?(?:\w+ly )?(?:any|every|each|all|\w+ing|(?:edited|processed|finished|completed|created|generated|done|written|sent|read|changed|modified|saved)\b) `+words(`14`)+acting),
			remarks([]string{"always ", "automatically ", "make sure ", "remember to ", "general rule"},
				`\b(?:always|automatically|make sure (?:to|that|you)|remember to|as a (?:general )?rule(?: of thumb)?) `+words(`5`)+acting),
		}}
}
