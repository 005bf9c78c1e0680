package scan

import "github.com/assent-dev/assent/engine/base/diag"

// fileProgramRule: compiled code cannot be reviewed.
func fileProgramRule() rule {
	return rule{RuleInfo: RuleInfo{ruleProgram, Readable, diag.Error, "compiled code cannot be reviewed",
		"A native program, bytecode or WebAssembly does what its bytes say and no reader can tell what that is.",
		"Commit the source; build or install the program outside the workspace and name it in requires.bins."}}
}
