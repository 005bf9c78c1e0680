package scenario

// Rule ids of the diagnostics of this package; those of the YAML itself are
// strictyaml's.
const (
	RuleScenario = "scenario-value"
	RuleFailed   = "scenario-failed"
	RuleCost     = "scenario-cost"
)

// Rules returns every rule id with its description, for the documentation.
func Rules() map[string]string {
	return map[string]string{
		RuleScenario: "a scenario says something that no proposal can be, or expects nothing",
		RuleFailed:   "the policies answer otherwise than a scenario expects",
		RuleCost:     "trying all scenarios by the policies takes too many steps",
	}
}
