package scan

import "github.com/assent-dev/assent/engine/diag"

// tooDenseRule: the file holds too many suspicious words to examine all of them.
func tooDenseRule() rule {
	return rule{RuleInfo: RuleInfo{ruleTooDense, Readable, diag.Error, "the file holds too many suspicious words to examine all of them",
		"Ordinary files stay far below the scanner's budget; one above it was made to exhaust it.",
		"Split the file, or remove the repeated text."}}
}
