package advice

// RuleConfig is the rule id of Parse's diagnostics; YAML errors have strictyaml's ids.
const RuleConfig = "asked-config"

// Rules returns each rule id with a description of the content it refuses.
func Rules() map[string]string {
	return map[string]string{RuleConfig: "opinion.yaml or drafter.yaml names no program or model that can be asked, or several"}
}
