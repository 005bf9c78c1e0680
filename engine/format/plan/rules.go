package plan

// Rule ids of the diagnostics about plans. This package reports the first two, package answers the others.
const (
	RuleForm     = "plan-form"
	RuleSteps    = "plan-steps"
	RuleUnknown  = "plan-unknown"
	RuleUnusable = "plan-unusable"
	RuleArgs     = "plan-args"
	RulePresent  = "plan-present"
)

// Rules returns every rule id with its description, for the documentation.
func Rules() map[string]string {
	return map[string]string{
		RuleForm:     "a plan is one JSON object with a goal and its steps, or with the capability that is missing and why",
		RuleSteps:    "a plan has steps although it says that a capability is missing",
		RuleUnknown:  "a step names nothing that is in force",
		RuleUnusable: "the capability of a step cannot be used now, or not by this agent",
		RuleArgs:     "the args of a step do not fit what its capability takes",
		RulePresent:  "a plan says that a capability is missing which is in force",
	}
}
