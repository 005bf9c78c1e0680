package composed

// Rule ids of this package's diagnostics.
const (
	RuleSyntax  = "composed-syntax"
	RuleMain    = "composed-main"
	RuleTools   = "composed-tools"
	RuleUnknown = "composed-unknown"
	RuleCycle   = "composed-cycle"
	RuleWraps   = "composed-wraps"
)

// Rules returns each rule id with a description of the content it refuses or reports, for
// the documentation.
func Rules() map[string]string {
	return map[string]string{
		RuleSyntax:  "a composed tool that is no Starlark program, or loads others",
		RuleMain:    "a composed tool defines main(input)",
		RuleTools:   "tools are called by name, so that what a program depends on can be read from it",
		RuleUnknown: "a composed tool calls only what the workspace has and can call",
		RuleCycle:   "composed tools that call each other in a circle never end",
		RuleWraps:   "a composed tool only hands its input to another tool",
	}
}
