package validate

// Rule ids of the diagnostics of this package.
const (
	RulePathArea    = "path-area"
	RulePathPlace   = "path-place"
	RuleOneProposal = "proposal-one"
	RuleRewritten   = "proposal-rewritten"
	RuleNoProposal  = "proposal-missing"
	RuleFiles       = "proposal-files"
	RuleOrphan      = "skill-orphan-file"
	RuleReference   = "capability-reference"
	RuleCycle       = "capability-cycle"
	RuleBounds      = "capability-bounds"
	RuleHosts       = "capability-hosts"
	RulePermissions = "capability-permissions"
	RuleMethods     = "capability-methods"
	RuleAgents      = "capability-agents"
	RuleNeeded      = "capability-needed"
	RuleSuperseded  = "skill-superseded"
	RuleCalled      = "capability-called"
	RuleDescription = "capability-description"
	RuleSoulRemoved = "soul-removed"
	RuleEmptyChange = "change-empty"
	RuleCircular    = "change-circular"
	RuleEmptyFile   = "file-empty"
	RuleFileSize    = "limit-file-size"
	RuleFileCount   = "limit-files"
	RuleBytes       = "limit-bytes"
	RuleNewFormat   = "format-unknown"
	RuleOldFormat   = "format-lowered"
	RuleIdentical   = "duplicate-identical"
	RuleRenamed     = "duplicate-renamed"
	RuleReworded    = "duplicate-reworded"
	RuleBranchLong  = "branch-long"

	RuleClaimMissing = "report-missing"
	RuleClaimTrees   = "report-trees"
	RuleClaimEngine  = "report-engine"
	RuleClaimForged  = "report-forged"
)

// Rules returns every rule id with a description, for the documentation.
func Rules() map[string]string {
	return map[string]string{
		RulePathArea:    "a governed folder is spelt in another way, so that it would not be governed",
		RulePathPlace:   "a file is at a place that belongs to nothing",
		RuleOneProposal: "a change adds the files of more than one proposal",
		RuleRewritten:   "the file of a merged proposal is changed or removed",
		RuleNoProposal:  "a change comes without a proposal that says what it is for",
		RuleFiles:       "the list of files in the proposal is not what changes",
		RuleOrphan:      "a file below skills/ belongs to no capability",
		RuleDescription: "a description is too short to say what the capability does and when",
		RuleReference:   "a capability names another one that does not exist",
		RuleCycle:       "capabilities require each other in a cycle",
		RuleBounds:      "a record gives a call more time or memory than limits.yaml does",
		RuleHosts:       "code needs a host that the policies in force do not admit",
		RulePermissions: "code with known side effects names no permissions",
		RuleMethods:     "a server has no list of its methods",
		RuleAgents:      "a record allows or denies an unknown agent",
		RuleNeeded:      "the change removes a capability that others call, require or apply to",
		RuleSuperseded:  "a skill applies to a tool that is superseded",
		RuleCalled:      "a composed tool calls a capability that gets new code, and is tested again",
		RuleSoulRemoved: "an agent's identity is removed",
		RuleEmptyChange: "the change changes nothing",
		RuleCircular:    "an edit restores an earlier text",
		RuleEmptyFile:   "a file without content",
		RuleFileSize:    "a file is larger than the limit",
		RuleBranchLong:  "the branch brings more contents than are searched for secrets",
		RuleFileCount:   "the change has more files than the limit",
		RuleBytes:       "the change has more bytes than the limit",
		RuleNewFormat:   "the workspace's format would become one that this program does not know",
		RuleOldFormat:   "the workspace's format would become an earlier one",
		RuleIdentical:   "a capability is another one under a new name, file for file",
		RuleRenamed:     "a capability is nearly another one under a new name",
		RuleReworded:    "a capability says much the same as another one, or is named and described like it",

		RuleClaimMissing: "a run for a pull request left no report that can be read",
		RuleClaimTrees:   "a run left a report of other commits than those that it ran for",
		RuleClaimEngine:  "a run left a report of another version of assent",
		RuleClaimForged:  "a run left a report that does not say what is found",
	}
}
