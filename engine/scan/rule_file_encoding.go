package scan

import "github.com/assent-dev/assent/engine/base/diag"

// fileEncodingRule: the file is not valid UTF-8.
func fileEncodingRule() rule {
	return rule{RuleInfo: RuleInfo{ruleEncoding, Readable, diag.Error, "the file is not valid UTF-8",
		"Readers that guess different encodings see different texts.",
		"Convert the file to UTF-8."}}
}
