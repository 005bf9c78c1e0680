package workflow

// Rule ids of the diagnostics of this package.
const (
	RuleFile       = "workflow-file"        // something else than a .yaml file in workflows/
	RuleShape      = "workflow-shape"       // a value of another type than the format's
	RuleUnknownKey = "workflow-unknown-key" // a key that this version does not carry out
	RuleName       = "workflow-name"        // missing, ill-formed or taken
	RuleEvent      = "workflow-event"       // no event, or one that never happens
	RuleSchedule   = "workflow-schedule"    // not a cron expression
	RuleInput      = "workflow-input"       // an input that cannot be given
	RuleJob        = "workflow-job"         // no jobs, or a job without an action
	RuleAction     = "workflow-action"      // an action that does not exist
	RuleRole       = "workflow-role"        // a role that does not exist
	RuleTask       = "workflow-task"        // a task that cannot be done
	RuleRun        = "workflow-run"         // a script that could not run
	RuleTemplate   = "workflow-template"    // instructions that are missing or cannot be filled in
	RuleCondition  = "workflow-condition"   // not a condition in CEL over the facts that there are
	RuleNeeds      = "workflow-needs"       // a needed job that does not exist
	RuleCycle      = "workflow-cycle"       // jobs that wait for each other
	RuleCall       = "workflow-call"        // a workflow that cannot be called
)

// Rules returns every rule id with its description, for the documentation.
func Rules() map[string]string {
	return map[string]string{
		RuleFile:       "an entry of workflows/ is no regular file of the kind that is read there, so that it would never run",
		RuleShape:      "a value has another type than the format asks for",
		RuleUnknownKey: "a key is misspelt, or belongs to a feature that this version does not have",
		RuleName:       "a workflow's name is missing, ill-formed, or taken by another file",
		RuleEvent:      "a workflow waits for nothing, for an event that never happens or leaves it nothing to do, or for the command of another file",
		RuleSchedule:   "a schedule is not a cron expression of five fields",
		RuleInput:      "an input is misspelt, contradicts itself, or is required where no event gives it",
		RuleJob:        "a workflow has no jobs, or a job names no action, agent or script, or more than one, or has nothing to act on",
		RuleAction:     "a job uses an action that does not exist",
		RuleRole:       "a job is for a role that does not exist",
		RuleTask:       "a task has no instructions, or an impossible bound, word or path",
		RuleRun:        "a script is missing, too long, or requests something that scripts do not get",
		RuleTemplate:   "the instructions of a task are missing or too long, or have a placeholder that nothing may fill",
		RuleCondition:  "a condition is no expression in CEL over the facts that its job has",
		RuleNeeds:      "a job needs a job that the workflow does not have",
		RuleCycle:      "jobs need each other, so that none can start",
		RuleCall:       "a job calls a workflow that does not exist, has errors, or calls its caller, or calls go too deep",
	}
}
