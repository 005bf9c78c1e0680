package scan

import "github.com/assent-dev/assent/engine/base/diag"

// fileModeRule: this is not a regular file.
func fileModeRule() rule {
	return rule{RuleInfo: RuleInfo{ruleMode, Readable, diag.Error, "this is not a regular file",
		"A symbolic link or submodule stands for content that is not in the tree that was reviewed, a pipe or device for whatever comes out of it later.",
		"Put what a link stands for in its place; remove a pipe, socket or device."}}
}
