package scan

import "github.com/assent-dev/assent/engine/diag"

// fileModeRule: this is not a regular file.
func fileModeRule() rule {
	return rule{RuleInfo: RuleInfo{ruleMode, Readable, diag.Error, "this is not a regular file",
		"A symbolic link or submodule stands for content that is not in the tree that was reviewed.",
		"Replace it by the file that it stands for."}}
}
