package acquire

// Rule ids of the diagnostics of this package.
const (
	RuleInput = "acquire-input"
	RuleCode  = "acquire-code"
	RuleRun   = "acquire-run"
	RuleTaken = "acquire-taken"
	RuleAgain = "acquire-again"
)

// Rules returns every rule id with its description, for the documentation.
func Rules() map[string]string {
	return map[string]string{
		RuleInput: "payload and schema of a tool are JSON objects, and the payload fits the schema",
		RuleCode:  "the code of a tool does not parse, also without what it may be wrapped in",
		RuleRun:   "the code does not answer the payload, or fails a required test: it has to end with 0 and print a result that is not an error",
		RuleTaken: "another capability has the name",
		RuleAgain: "the same code with the same schema is in force or proposed already",
	}
}
