package scan

import "github.com/assent-dev/assent/engine/base/diag"

// fileArchiveRule: an archive hides the files in it from review.
func fileArchiveRule() rule {
	return rule{RuleInfo: RuleInfo{ruleArchive, Readable, diag.Warning, "an archive hides the files in it from review",
		"An archive's content is neither scanned nor shown in a diff; it is how payloads travel in skills.",
		"Commit the unpacked files instead, or look into the archive once."}}
}
