package scanner

// Rule ids of the diagnostics of this package.
const (
	RuleUnread = "file-unread"
	RuleName   = "file-name"
)

// Rules maps every rule id to the refused content, for the documentation.
func Rules() map[string]string {
	return map[string]string{
		RuleUnread: "a file or folder could not be read, so its content is unknown",
		RuleName:   "a file's name holds invisible characters, or is not text",
	}
}
