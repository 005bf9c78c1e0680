package scan

import "github.com/assent-dev/assent/engine/base/diag"

// fileSizeRule: the file is too large to be read as a whole.
func fileSizeRule() rule {
	return rule{RuleInfo: RuleInfo{ruleSize, Readable, diag.Error, "the file is too large to be read as a whole",
		"What nobody can read, nobody can assent to.",
		"Split the file, or fetch large data at run time from a declared host."}}
}
