package drafter

// Rule ids of the diagnostics of this package.
const (
	RuleAnswer = "drafter-answer"
	RulePlace  = "drafter-place"
	RuleWidens = "drafter-widens"
)

// Rules returns each rule id with a description of the content it refuses.
func Rules() map[string]string {
	return map[string]string{
		RuleAnswer: "what a drafter answers is not what it was asked for",
		RulePlace:  "a draft has a file that it may not write",
		RuleWidens: "a draft declares or calls what the template does not",
	}
}
