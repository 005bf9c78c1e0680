package notice

// RuleTarget is the rule id of the diagnostics of Parse; those of the YAML itself are
// strictyaml's.
const RuleTarget = "notify-target"

// Rules lists every rule id with what it refuses, for the documentation.
func Rules() map[string]string {
	return map[string]string{RuleTarget: "a target of notify.yaml has no name, no place or no secret of its own, or an unknown event"}
}
