package task

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// Delivery is what an agent hands in.
type Delivery struct {
	// By is the agent's name.
	By     string
	Result run.Result
	// Source and Digest name the file that the result was read from.
	Source, Digest string
	// Edits are the files, with paths from the workspace's root.
	Edits  []tree.Edit
	DryRun bool
}

// Delivered is what became of a delivery.
type Delivered struct {
	Task
	// Diagnostics are what is wrong with it, or goes with it; with errors the task is
	// still the agent's.
	Diagnostics diag.List
	// Pushed says that the proposal has the files.
	Pushed bool
	// Refused is why the job's gate is not passed; empty when it is.
	Refused string
}

// Deliver takes in what was done for a task: the files become one commit on the run's
// proposal, the result a record of its journal. Where validation does not let the files
// pass, they are on the branch, and the task stays with whoever did it. Doing it again
// after a crash ends where it would have ended.
func Deliver(ctx context.Context, cur workspace.Session, t Task, d Delivery) (Delivered, error) {
	out := Delivered{Task: t}
	if t.State.Status == run.Did && t.State.By == d.By { // as a repeated call would have found it
		return out, nil
	}
	if err := t.free(t.Run, d.By, cur.Now()); err != nil {
		return out, err
	}
	if err := MayDo(cur, t, d.By, cur.Now()); err != nil {
		return out, err
	}
	there, err := brought(ctx, cur, t.Run.Proposal)
	if err != nil {
		return out, err
	}
	out.Diagnostics = d.Result.Answers(d.Source, t.Job, t.Run.ID, d.By)
	out.Diagnostics.Add(run.Admits(t.Flow, t.Run, t.Job, paths(d.Edits), there)...)
	if out.Diagnostics.HasErrors() || d.DryRun {
		return out, nil
	}
	if out.Task, err = Claim(ctx, cur.Workspace, t, d.By); err != nil {
		return out, err
	}
	r := run.Record{Result: &d.Result}
	d.Result.Run, d.Result.Job, d.Result.Agent, d.Result.Files = t.Run.ID, t.Job.Name, d.By, paths(d.Edits)
	if len(d.Edits) > 0 {
		pull, err := out.pushed(ctx, cur, d)
		if err != nil || out.Diagnostics.HasErrors() {
			return out, err
		}
		out.Pushed, r.Proposal, r.Head = true, pull.ID, pull.Head.String()
	}
	out.Run, err = cur.Runs.Append(ctx, t.Run.ID, d.By, cur.Now(), func(s run.State) (*run.Record, error) {
		if err := out.mine(s, d.By); err != nil {
			return nil, err
		}
		done := run.Conclude(t.Flow, s, t.Job, r)
		if out.Refused = ""; done.Kind == run.Failed {
			out.Refused = done.Reason
		}
		return &done, nil
	})
	out.State = out.Run.Jobs[t.Job.Name]
	return out, err
}

// mine says why what somebody did cannot be recorded as what they were asked for: the
// newest claim is another's, or another attempt began.
func (t Task) mine(s run.State, name string) error {
	j := s.Jobs[t.Job.Name]
	if s.Outcome != "" || j.Status != run.Waiting || j.Attempt != t.State.Attempt {
		return fmt.Errorf("%s: %w", t.Name(), ErrOver)
	}
	if j.Claimant != name {
		return fmt.Errorf("%s has %s now: %w", j.Claimant, t.Name(), ErrTaken)
	}
	return nil
}

func paths(edits []tree.Edit) []string {
	var out []string
	for _, e := range edits {
		out = append(out, e.Path)
	}
	slices.Sort(out)
	return out
}

// brought lists the files that a proposal has so far.
func brought(ctx context.Context, cur workspace.Session, id string) ([]string, error) {
	if id == "" {
		return nil, nil
	}
	ex, err := cur.Examine(ctx, id)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, f := range ex.Report.Files {
		out = append(out, f.Path)
	}
	return out, nil
}

// attempts bounds how often a delivery begins again because the branch moved meanwhile.
const attempts = 16

// pushed is push, again where somebody else was faster.
func (t *Delivered) pushed(ctx context.Context, cur workspace.Session, d Delivery) (forge.Pull, error) {
	for try := 1; ; try++ {
		t.Diagnostics = nil
		pull, err := t.push(ctx, cur, d)
		var stale *forge.ErrStale
		if try == attempts || !errors.As(err, &stale) && !errors.Is(err, forge.ErrExists) {
			return pull, err
		}
	}
}

// push brings the files to the run's proposal, which the first delivery opens.
func (t *Delivered) push(ctx context.Context, cur workspace.Session, d Delivery) (forge.Pull, error) {
	r := propose.Request{
		Edits:  d.Edits,
		Origin: provenance.Origin{Way: provenance.Task, Source: t.Name(), Digest: propose.DigestOf(d.Edits)},
	}
	var err error
	if r.By, r.Author, err = propose.Who(cur, d.By); err != nil {
		return forge.Pull{}, err
	}
	id := t.Run.Proposal
	if id == "" {
		id = t.Run.ID
	}
	pull, err := cur.Forge.Get(ctx, id)
	if errors.Is(err, forge.ErrNotFound) && t.Run.Proposal == "" {
		return t.open(ctx, cur.Workspace, r)
	}
	if err != nil {
		return pull, err
	}
	out, err := propose.Extend(ctx, cur.Workspace, id, r)
	if errors.Is(err, propose.ErrNothing) { // what a killed process pushed, or files that are there
		out.Examined, err = propose.Settle(ctx, cur, id)
		out.Pull = out.Examined.Case.Pull
	}
	if err != nil {
		return pull, err
	}
	return t.judged(out)
}

func (t *Delivered) open(ctx context.Context, w *workspace.Workspace, r propose.Request) (forge.Pull, error) {
	in := t.Run.Inputs
	r.Claimed = true
	r.Proposal = proposal.Proposal{
		ID: t.Run.ID, Agent: r.By.Name, Goal: strings.Join(strings.Fields(in["goal"]), " "), Capability: in["capability"],
		Body: fmt.Sprintf("# Why\n\n%s\n\nDone in parts, by run %s of the workflow %s.\n", why(in), t.Run.ID, t.Run.Workflow),
	}
	if t.Run.For != r.By.Name {
		r.Proposal.For = t.Run.For
	}
	if in["missing"] != "" {
		r.Proposal.Gap = &proposal.Gap{Missing: in["missing"], Reason: in["reason"]}
	}
	out, err := propose.Open(ctx, w, r)
	if err != nil || !out.Opened {
		t.Diagnostics.Add(out.Diagnostics...)
		return out.Pull, err
	}
	return t.judged(out)
}

func why(inputs map[string]string) string {
	for _, name := range []string{"goal", "missing", "reason"} {
		if inputs[name] != "" {
			return inputs[name]
		}
	}
	return "Asked for by a workflow: " + strings.Join(slices.Sorted(maps.Keys(inputs)), ", ")
}

// judged keeps the task open where validation does not let the branch pass.
func (t *Delivered) judged(out propose.Outcome) (forge.Pull, error) {
	t.Pushed = out.Opened
	t.Diagnostics.Add(out.Diagnostics...)
	if report := out.Examined.Report; !out.Examined.Case.Conflicted && !report.Passed {
		t.Diagnostics.Add(report.Diagnostics...)
	}
	pull := out.Examined.Case.Pull
	if pull.ID == "" {
		pull = out.Pull
	}
	return pull, nil
}
