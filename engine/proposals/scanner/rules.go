package scanner

// Rule ids of the diagnostics of this package.
const (
	RuleUnread = "file-unread"
	RuleName   = "file-name"
)

// Rules lists every rule id with what it refuses, for the documentation.
func Rules() map[string]string {
	return map[string]string{
		RuleUnread: "a file or folder could not be read, so nobody knows what is in it",
		RuleName:   "a file's name holds characters that nobody sees, or is no text",
	}
}
