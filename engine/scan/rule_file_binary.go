package scan

import "github.com/assent-dev/assent/engine/base/diag"

// fileBinaryRule: this is binary data of a kind that is not admitted.
func fileBinaryRule() rule {
	return rule{RuleInfo: RuleInfo{ruleBinary, Readable, diag.Error, "this is binary data of a kind that is not admitted",
		"Only text can be reviewed line by line.",
		"Store it as text, or as a PNG, JPEG, GIF, WebP, PDF or web font under assets/."}}
}
