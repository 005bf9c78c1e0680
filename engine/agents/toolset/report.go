package toolset

import (
	"context"
	"errors"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/registry/gaps"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/tools/answers"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// ReportInput is a gap: what the agent lacks. With an Outcome it says how a capability did, or a
// mission if no capability is named.
type ReportInput struct {
	Capability string        `json:"capability"`
	Goal       string        `json:"goal"`
	Outcome    trial.Outcome `json:"outcome,omitempty"`
	// Satisfaction, from 0 to 1, goes with an outcome. Then Reason is an issue, too.
	Satisfaction *float64 `json:"satisfaction,omitempty"`
	// Mission is the mission's id, by default the client's.
	Mission string `json:"mission,omitempty"`
	Missing string `json:"missing,omitempty"`
	Reason  string `json:"reason,omitempty"`
	// Type, Complexity and Priority are inputs of the workflow.
	Type       string `json:"type,omitempty"`
	Complexity string `json:"complexity,omitempty"`
	Priority   string `json:"priority,omitempty"`
	// APIHint is the interface that was named where the gap was heard; the tool has no such argument.
	APIHint string `json:"-"`
	// Anyway starts the workflows although something serves the gap, or the same was rejected.
	Anyway bool `json:"anyway,omitempty"`
}

// ReportOutput are the runs that were started, or were under way already; or how many trials were
// recorded.
type ReportOutput struct {
	Runs     []Run `json:"runs"`
	Recorded int   `json:"recorded,omitempty"`
	// Estimate is of what it costs to close the gap, and what that saves.
	Estimate *answers.Estimate `json:"estimate,omitempty"`
	Next     string            `json:"next"`
}

// Run is a run of a workflow.
type Run struct {
	ID       string `json:"id"`
	Workflow string `json:"workflow"`
	// Already: the same gap was reported before.
	Already bool `json:"already,omitempty"`
	// WaitsFor are the roles that must act now.
	WaitsFor []string `json:"waits_for,omitempty"`
}

// Report records a missing capability and starts the workflows with the event gap, or records an
// outcome.
func (a *Agent) Report(ctx context.Context, in ReportInput) (ReportOutput, error) {
	out := ReportOutput{Runs: []Run{}}
	if a.Name == "" {
		return out, nameless(ctx, a)
	}
	if in.Outcome != trial.Open || in.Mission != "" || in.Satisfaction != nil {
		return reportOutcome(ctx, a, in)
	}
	if strings.TrimSpace(in.Capability) == "" || strings.TrimSpace(in.Goal) == "" {
		return out, refuse(`call report with {"capability": "a-name", "goal": "what shall be possible"}`, "a gap needs a capability and a goal")
	}
	in.Capability = names.Fold(strings.TrimSpace(in.Capability))
	if bad := names.CheckCapability(in.Capability, diag.Pos{}); bad.HasErrors() {
		return out, refuse(bad[0].Fix, "%s", bad[0].Message)
	}
	cur, err := a.Join(ctx)
	if err != nil {
		return out, err
	}
	by, _, err := propose.Who(cur, a.Name)
	if err != nil {
		return out, err
	}
	for _, words := range []*string{&in.Capability, &in.Goal, &in.Missing, &in.Reason, &in.Type, &in.Complexity, &in.Priority, &in.APIHint} {
		*words = trial.Unsecret(*words)
	}
	beginnings, err := task.Gap(cur, task.Lack{
		Capability: in.Capability, Goal: in.Goal, Missing: in.Missing, Reason: in.Reason, Type: in.Type, Complexity: in.Complexity, Priority: in.Priority, APIHint: in.APIHint,
	})
	if err != nil {
		if !errors.As(err, new(*task.Present)) {
			err = errors.Join(err, lacked(ctx, a, in))
		}
		return out, ofGap(err)
	}
	if err := answerFirst(ctx, cur, a, in, &out); err != nil || len(out.Runs) > 0 {
		return out, err
	}
	for _, b := range beginnings {
		b.By, b.For = by.Name, by.Name
		s, diags, err := task.Start(ctx, cur, b)
		var open *task.Open
		if errors.As(err, &open) {
			out.Runs = append(out.Runs, Run{ID: open.ID, Workflow: b.Workflow.Name, Already: true})
			continue
		}
		if err != nil {
			return out, ofGap(err)
		}
		if diags.HasErrors() {
			return out, refuse("mend these, and report again", "the workflow %s was not started:\n%s", b.Workflow.Name, strings.Join(findings(diags), "\n"))
		}
		advanced, err := task.Advance(ctx, cur.Workspace, s.ID)
		if err != nil {
			return out, err
		}
		out.Runs = append(out.Runs, Run{ID: s.ID, Workflow: b.Workflow.Name, WaitsFor: waitingRoles(advanced.State)})
	}
	if a.Changed != nil {
		a.Changed(ctx, cur)
	}
	out.Next = builtByOthers
	return out, nil
}

const builtByOthers = "others research and build it, and the result arrives as a proposal. Continue without it, and search for it later"

// answerFirst refuses a gap that something serves already. A run that is under way is in out.
func answerFirst(ctx context.Context, cur workspace.Session, a *Agent, in ReportInput, out *ReportOutput) error {
	all, err := task.Workflows(cur)
	if err != nil {
		return err
	}
	g := gaps.Planned(in.Capability, in.Goal, 0)
	served, estimate, err := answers.Reported(ctx, cur, all, a.Name, g)
	if len(estimate.Workflows) > 0 { // a repair has none
		out.Estimate = &estimate
	}
	if err == nil && served.Status != answers.InForce {
		err = lacked(ctx, a, in)
	}
	switch {
	case err != nil:
		return err
	case served.Status == answers.Nothing || in.Anyway:
		return nil
	case served.Run == "":
		return refuse(Heard{g, served, false}.Served()+" If that will not do, report it again with anyway: true.", "nothing was reported: %s", served.Sentence())
	}
	s, err := cur.Runs.Read(served.Run)
	out.Runs, out.Next = []Run{{ID: s.ID, Workflow: s.Workflow, Already: true}}, builtByOthers
	return err
}

// lacked notes a lack for the mission that the agent does.
func lacked(ctx context.Context, a *Agent, in ReportInput) error {
	if a.Lacked == nil {
		return nil
	}
	return a.Lacked(ctx, a.Mission, in.Capability, in.Goal)
}

func waitingRoles(s run.State) []string {
	var out []string
	for _, job := range s.Jobs {
		if job.Status == run.Waiting {
			out = append(out, job.Role)
		}
	}
	return out
}

// ofGap turns an error of task.Gap or task.Start into advice for the agent.
func ofGap(err error) error {
	var there *task.Present
	var full *task.Full
	var untaken *task.Untaken
	switch {
	case errors.As(err, &untaken):
		return refuse("report again without "+untaken.Input, "%s", err)
	case errors.As(err, &there) && there.Unusable != "":
		return refuse("have a person repair it: assent health "+names.ShellWord(there.Name)+" names the proposal for that", "%s", err)
	case errors.As(err, &there) && (there.Kind == capability.KindSkill || there.Kind == capability.KindAgent):
		return refuse("load "+there.Name+"; if it lacks something, propose a change of it", "nothing was reported: %s is in force", there.Name)
	case errors.As(err, &there):
		return refuse("call "+there.Name+"; if it lacks something, propose a change of it", "nothing was reported: %s is in force", there.Name)
	case errors.As(err, &full):
		return &Refusal{What: err.Error(), Next: "wait until one of your runs has ended", cause: full}
	case errors.Is(err, task.ErrOff):
		return refuse("go on without it, or propose the capability yourself", "nothing was started: %s", err)
	case errors.Is(err, task.ErrNoGaps):
		return refuse("propose the capability yourself", "no workflow in force has the event gap")
	}
	return err
}
