package soul

// Rule ids of the diagnostics of this package.
const (
	RuleProtected        = "soul-protected-section" // a protected section was touched, hidden or imitated
	RuleLearnedLimit     = "soul-learned-limit"     // too many learned capabilities
	RuleLearnedDuplicate = "soul-learned-duplicate" // one capability twice in the list
	RuleLearnedEntry     = "soul-learned-entry"     // an entry that cannot be understood
)

// Rules returns each rule id with a description of the content it refuses.
func Rules() map[string]string {
	return map[string]string{
		RuleProtected:        "a protected section was changed, removed, added, moved, hidden or imitated",
		RuleLearnedLimit:     "the list of learned capabilities is longer than allowed",
		RuleLearnedDuplicate: "one capability stands in the list of learned ones twice",
		RuleLearnedEntry:     "an entry of the list of learned capabilities has a value that cannot be understood",
	}
}
