package run

// Rule ids of the diagnostics of this package.
const (
	RuleResult = "task-result" // not a result in its form
	RuleAnswer = "task-answer" // a question that the result does not answer
	RuleFiles  = "task-files"  // files that the task does not take, or asks for
)

// Rules maps every rule id to the refused content, for the documentation.
func Rules() map[string]string {
	return map[string]string{
		RuleResult: "a result is no JSON object in the form of a task's result, or is for another task",
		RuleAnswer: "a result leaves a question of its task open, or says nothing about what it has to cover",
		RuleFiles:  "a file is delivered that the task does not take, or one that it asks for is missing",
	}
}
