package proposal

// Rule ids of the diagnostics of this package.
const (
	RuleFrontMatter = "proposal-front-matter"
	RuleSoulMode    = "proposal-soul-mode"
	RuleSoulAgent   = "proposal-soul-agent"
	RuleSoulSection = "proposal-soul-section"
	RuleEmpty       = "draft-empty"
	RuleID          = "draft-id"
	RuleFiles       = "draft-files"
	RuleGoal        = "draft-goal"
	RuleFileTwice   = "draft-file-twice"
	RuleSoulContent = "draft-soul-content"
	RuleJSON        = "draft-json"
	RuleDescription = "draft-description"
	RuleName        = "draft-name"
	RuleDraftFront  = "draft-front-matter"
	RuleRationale   = "draft-rationale"
	RuleInputSchema = "draft-input-schema"
	RuleKind        = "proposal-kind"
	RuleDiffers     = "proposal-differs"
)

// Rules returns each rule id with a description of the content it refuses or reports.
func Rules() map[string]string {
	return map[string]string{
		RuleFrontMatter: "the file of a proposal has no front matter",
		RuleSoulMode:    "a soul edit has a mode that does not exist",
		RuleSoulAgent:   "a soul edit names no agent",
		RuleSoulSection: "a soul edit names no section",
		RuleEmpty:       "the draft is empty",
		RuleID:          "a draft brings an id of its own",
		RuleFiles:       "a draft brings a list of files of its own",
		RuleGoal:        "the draft does not say what it is for",
		RuleFileTwice:   "a draft holds one file twice",
		RuleSoulContent: "a soul edit does not say which text is its content",
		RuleJSON:        "a draft in JSON cannot be read",
		RuleDescription: "the draft does not describe the capability",
		RuleName:        "the draft has no usable name for the capability",
		RuleDraftFront:  "the front matter of the SKILL.md cannot be written",
		RuleRationale:   "the draft does not say why",
		RuleInputSchema: "the inputs of a tool are not the schema of an object",
		RuleKind:        "the kind of a proposal is unknown, or is not what the change does",
		RuleDiffers:     "an answer to how a capability differs names none, or says nothing",
	}
}
