package scan

import "github.com/assent-dev/assent/engine/base/diag"

// tooDenseRule: the file holds more suspicious words or encoded text than is examined.
func tooDenseRule() rule {
	return rule{RuleInfo: RuleInfo{ruleTooDense, Readable, diag.Error, "the file holds more suspicious words or encoded text than is examined",
		"Ordinary files stay far below the scanner's bounds; one above them hides what comes after.",
		"Split the file, or remove the repeated text."}}
}
