package workflow

import "github.com/assent-dev/assent/engine/diag"

// Dir is the folder of a workspace that holds its workflows, one per .yaml file.
const Dir = "workflows"

// The names of the events that a workflow can wait for. The four proposal
// events are written as "name: true", the other two with a value.
const (
	ProposalOpened   = "proposal.opened"
	ProposalUpdated  = "proposal.updated"
	ProposalApproved = "proposal.approved"
	ProposalMerged   = "proposal.merged"
	// Schedule's value is a cron expression in five fields.
	Schedule = "schedule"
	// Command's value is the word that a person types to start the workflow.
	Command = "command"
)

// Workflow is one valid file.
type Workflow struct {
	// Path is the file, from the workspace's root.
	Path string
	// Name is unique in the workspace.
	Name string
	// Pos is where the name is written.
	Pos diag.Pos
	On  Triggers
	// Jobs are in an order in which they can run: each after all that it needs,
	// otherwise by name.
	Jobs []Job
}

// Triggers are the events that start a workflow; at least one is set.
type Triggers struct {
	// Proposal holds the proposal events, in the order of the constants above.
	Proposal []string
	// Schedule is a five-field cron expression that the shell's parser accepted,
	// or empty.
	Schedule string
	// Command is the word that starts the workflow by hand, or empty.
	Command string
}

// Job is one built-in action of a workflow.
type Job struct {
	Name string
	// Uses names the action; it is one of those given to Load.
	Uses string
	// Needs names the jobs of the same workflow that come first, sorted.
	Needs []string
	// Pos is where the job is written, for messages about its runs.
	Pos diag.Pos
}

// Event is something that happened.
type Event struct {
	// Name is one of the event constants.
	Name string
	// Value tells events of one name apart: the expression that fired for
	// Schedule, the word that was typed for Command, empty otherwise.
	Value string
}

// Step is one action to carry out.
type Step struct {
	Workflow string
	Job      string
	Uses     string
	// Needs names the jobs of the same workflow whose steps must have succeeded;
	// their steps come earlier in the plan.
	Needs []string
}
