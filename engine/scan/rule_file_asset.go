package scan

import "github.com/assent-dev/assent/engine/base/diag"

// fileAssetRule: a picture, recording, document or font, not read by the scanner.
func fileAssetRule() rule {
	return rule{RuleInfo: RuleInfo{ruleAsset, Readable, diag.Warning, "a picture, document or font, not read by the scanner",
		"It is recognised by its first bytes only, and a model may read what a picture or document says.",
		"Keep such files under assets/ and look at them once."}}
}
