package importer

// Rule ids of the diagnostics of this package.
const (
	RuleTaken    = "import-taken"
	RuleProposed = "import-proposed"
	RuleGroup    = "import-group"
	RuleNothing  = "import-nothing"
	RuleRead     = "import-read"
)

// Rules maps every rule id to the refused or reported content, for the documentation.
func Rules() map[string]string {
	return map[string]string{
		RuleTaken:    "another capability has the name already",
		RuleProposed: "an open proposal brings other content under the same name",
		RuleGroup:    "a group and a capability would share one folder",
		RuleNothing:  "no folder with a SKILL.md was found",
		RuleRead:     "a folder, or a line of an export, cannot be read",
	}
}
