package asked

// RuleConfig is the rule id of the diagnostics of Parse; those of the YAML itself are
// strictyaml's.
const RuleConfig = "asked-config"

// Rules lists every rule id with what it refuses, for the documentation.
func Rules() map[string]string {
	return map[string]string{RuleConfig: "opinion.yaml or drafter.yaml names nobody who can be asked, or several"}
}
