package suite

// Rule ids of this package's diagnostics.
const (
	RuleStandard   = "suite-standard"
	RuleUnproven   = "suite-proves-nothing"
	RuleExisting   = "suite-existing"
	RuleRegression = "suite-regression"
	RuleInherited  = "suite-inherited"
)

// Rules returns each rule id with a description of the content it refuses or reports, for
// the documentation.
func Rules() map[string]string {
	return map[string]string{
		RuleStandard:   "no standard tests can be made from the schema of an input",
		RuleUnproven:   "a new test passes on what is in force, so that it shows nothing of the change",
		RuleExisting:   "a new test is marked as one of existing behaviour and fails on what is in force",
		RuleRegression: "a test that passes on what is in force fails with the change",
		RuleInherited:  "what a capability supersedes leads back to itself, or too far",
	}
}
