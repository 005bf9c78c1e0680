package workflow

import (
	"time"

	"github.com/assent-dev/assent/engine/base/condition"
	"github.com/assent-dev/assent/engine/base/diag"
)

// Dir is the folder of a workspace that holds its workflows, one per .yaml file, and
// TemplateDir the one below it with the texts of their tasks.
const (
	Dir         = "workflows"
	TemplateDir = Dir + "/templates"
)

// The names of the events that a workflow can wait for. The proposal events and Gap
// are written as "name: true", the other two with a value.
const (
	ProposalOpened   = "proposal.opened"
	ProposalUpdated  = "proposal.updated"
	ProposalApproved = "proposal.approved"
	ProposalMerged   = "proposal.merged"
	ProposalRejected = "proposal.rejected"
	// Gap is the event that someone reports a missing capability.
	Gap = "gap"
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
	// Digest names the bytes of the file.
	Digest string
	// Pos is where the name is written.
	Pos diag.Pos
	On  Triggers
	// Inputs are those of a run, in the order of the file.
	Inputs []Input
	// FailFast skips the jobs that have not started when a job has failed. It is the default.
	FailFast bool
	// Timeout bounds a run; 0 is no bound.
	Timeout time.Duration
	// Concurrency, unless its group is empty, has one run of the group at a time.
	Concurrency Concurrency
	// Jobs are in an order in which they can run: each after all that it needs,
	// otherwise by name.
	Jobs []Job
}

// Concurrency has one run of a group active at a time.
type Concurrency struct {
	// Group may contain placeholders: the inputs and the proposal of the event.
	Group string
	// Cancel has a newer run cancel the older ones of its group; otherwise it waits for them.
	Cancel bool
}

// Direct reports whether a workflow consists of built-in actions only, each on everything that
// waits for it. Then the proposals alone determine the work, and no run starts; any other
// workflow needs a journal of its own.
func (w Workflow) Direct() bool {
	for _, j := range w.Jobs {
		if j.Uses == "" || j.If != nil || j.Gate != nil || j.Uses == Notify || j.ContinueOnError || j.Group != nil {
			return false
		}
	}
	return !w.On.Gap && len(w.Inputs) == 0 && w.Timeout == 0 && w.Concurrency.Group == ""
}

// Job returns the job of a name.
func (w Workflow) Job(name string) (Job, bool) {
	for _, j := range w.Jobs {
		if j.Name == name {
			return j, true
		}
	}
	return Job{}, false
}

// OnFailure reports whether the condition of a job decides itself about failed needs, by
// failure() or always(). Any other job needs that nothing failed.
func (j Job) OnFailure() bool { return j.If.Calls(Failure) || j.If.Calls(Always) }

// The functions of conditions about failures.
const (
	Failure = "failure"
	Always  = "always"
)

// Triggers are the events that start a workflow; at least one is set.
type Triggers struct {
	// Proposal holds the proposal events, in the order of the constants above.
	Proposal []string
	// Gap is set if a reported gap starts it.
	Gap bool
	// Schedule is a five-field cron expression that the shell's parser accepted,
	// or empty.
	Schedule string
	// Command is the word that starts the workflow by hand, or empty.
	Command string
}

// Input is one text that a run is given when it starts.
type Input struct {
	Name     string
	About    string
	Required bool
	Default  string
	// Values are all that it may be, when not empty.
	Values []string
	// IsName is set if it must be a name: lower-case words joined by '-'.
	IsName bool
	Pos    diag.Pos
}

// Free reports whether the input can be any text. Such text comes from others and is never
// part of an instruction.
func (i Input) Free() bool { return !i.IsName && len(i.Values) == 0 }

// Job is one step of a workflow: a built-in action, a script, a task for an agent, or an approval.
type Job struct {
	Name string
	// Uses names the action; empty for a script or a task.
	Uses string
	// Script is what runs in the sandbox; nil for an action or a task.
	Script *Script
	// Approve is the role or the name of the people of whom one has to approve; empty for other jobs.
	// Timeout is how long they may take, Remind the interval of reminders.
	Approve string
	// Message of a notice, for the action Notify, or about an approval.
	Message string
	// Needs names the jobs of the same workflow that come first, sorted. Aggregates are the calls and the jobs with a
	// matrix among them.
	Needs      []string
	Aggregates []Aggregate
	// If decides whether the job is done at all, Gate whether its result is good enough; nil
	// means yes.
	If, Gate *condition.Condition
	// ContinueOnError has the run go on as if the job had succeeded when it has failed.
	ContinueOnError bool
	// Group is set for a job of a workflow that this one calls.
	Group *Group
	// Of is the name in the file of a job with a matrix or of a call, and Matrix the values; both are
	// empty for other jobs.
	Of     string
	Matrix map[string]string
	// Retries bounds the further attempts after a failure.
	Retries int
	// Task is set for a job that is delegated.
	Task
	// Pos is where the job is written, for messages about the file; of a job of another workflow, where the call is.
	// At is then where the job is, for messages about its runs.
	Pos, At diag.Pos
}

// Task is the work that a role is asked to do.
type Task struct {
	// Agent is the role that is asked, unless Route finds another; empty for all others.
	Agent string
	Route []Route
	// Template is the file with the instructions, Instructions its text.
	Template, Instructions string
	// Asks are the questions that the result has to answer.
	Asks []Question
	// NotBy names jobs, all done before this one: who took one of them, in any attempt, cannot take this.
	NotBy []string
	// Covers are the points that the result has to cover, or say why it does not.
	Covers []string
	// Deliver are patterns of paths: each must match a delivered file. May are patterns of
	// further files that are allowed. With neither, the task delivers no file.
	Deliver, May []string
	// Timeout bounds one attempt, Remind is the interval of reminders, and Lease is the duration
	// of a claim.
	Timeout, Remind, Lease time.Duration
}

// Route chooses a role by an input of the run.
type Route struct {
	Input string
	Table []Choice
}

// Choice is one line of a route: the word and its role.
type Choice struct{ Word, Role string }

// Question is one that a result has to answer under its name.
type Question struct{ Name, Text string }

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
