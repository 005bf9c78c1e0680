package propose

// Rule ids of the diagnostics of this package.
const (
	RuleOutside      = "path-outside"
	RuleWritten      = "proposal-written"
	RuleTwice        = "path-twice"
	RuleSoulMissing  = "soul-missing"
	RuleAgent        = "proposal-agent"
	RuleOpen         = "limit-open"
	RuleRival        = "proposal-rival"
	RuleAgain        = "proposal-again"
	RuleAlike        = "proposal-alike"
	RuleConflict     = "rebase-conflict"
	RuleChangedSince = "undo-changed-since"
	RuleOverwrites   = "rebase-overwrites"
	RuleDrafts       = "draft-one"
	RuleGoal         = "proposal-goal"
	RuleInTheWay     = "path-in-the-way"
	RuleNever        = "proposal-never"
	RuleMethods      = "methods-recorded"
)

// Rules maps every rule id to the refused or reported content, for the documentation.
func Rules() map[string]string {
	return map[string]string{
		RuleOutside:      "a file is not in one of the folders that are governed",
		RuleWritten:      "a proposal brings a file below proposals/, which assent alone writes",
		RuleTwice:        "a proposal gives one file twice",
		RuleSoulMissing:  "a section shall change in the soul of an agent that has none",
		RuleAgent:        "a proposer uses the name of another agent",
		RuleOpen:         "the proposer has as many open proposals as the policies allow",
		RuleRival:        "another open proposal concerns the same capability",
		RuleAgain:        "an open proposal makes exactly the same change",
		RuleAlike:        "an open proposal brings nearly the same capability under another name",
		RuleConflict:     "others have changed the same lines since, on main or in the proposal, and your file lacks that",
		RuleOverwrites:   "a section or file that is replaced was changed by others since",
		RuleDrafts:       "a branch brings more than one draft",
		RuleGoal:         "the goal is longer than 1 200 characters, or holds control characters",
		RuleInTheWay:     "a file has the path of a folder in force, or is below a file",
		RuleNever:        "the policies prohibit it, whoever approves",
		RuleMethods:      "the methods of a server are recorded as it lists them in the sandbox, or could not be",
		RuleChangedSince: "a file to be undone was changed again since",
	}
}
