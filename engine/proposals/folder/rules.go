package folder

// Rule ids of the diagnostics of this package.
const (
	RuleSpecial  = "folder-special"
	RuleSize     = "limit-folder"
	RuleFileSize = "limit-file-size"
	RuleEmpty    = "folder-empty"
)

// Rules maps every rule id to the refused or reported content, for the documentation.
func Rules() map[string]string {
	return map[string]string{
		RuleSpecial:  "a link, pipe or device in the folder is left out",
		RuleSize:     "the folder has more files or bytes than one capability can have",
		RuleFileSize: "a file is larger than the limit",
		RuleEmpty:    "the folder holds nothing that could be proposed",
	}
}
