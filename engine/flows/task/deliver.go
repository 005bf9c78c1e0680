package task

import (
	"cmp"
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
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// Delivery is an agent's result for a task.
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

// Delivered is the outcome of a delivery.
type Delivered struct {
	Task
	// Diagnostics are findings about the delivery. If they contain errors, the agent keeps
	// the task.
	Diagnostics diag.List
	// Pushed says that the proposal has the files.
	Pushed bool
	// Refused is why the job's gate is not passed; empty when it is.
	Refused string
	// examined is the proposal as it was pushed.
	examined workspace.Examined
}

// Deliver stores the result of a task: the files become one commit on the run's proposal,
// the result a record of its journal. If validation refuses the proposal, the files are on the
// branch, and the agent keeps the task; so too if the refused files came with an earlier attempt.
// A repeated call after a crash has the same outcome.
func Deliver(ctx context.Context, cur workspace.Session, t Task, d Delivery) (Delivered, error) {
	out := Delivered{Task: t}
	if t.State.Status == run.Did && t.State.By == d.By { // as a repeated call would have found it
		return out, nil
	}
	if err := cmp.Or(t.checkFree(t.Run, d.By, cur.Now()), t.checkHand(t.Run, hand(cur.Workspace, d.By))); err != nil {
		return out, err
	}
	if err := MayDo(cur, t, d.By, cur.Now()); err != nil {
		return out, err
	}
	pull, err := PullOf(ctx, cur.Workspace, t.Run)
	if err != nil {
		return out, err
	}
	if pull.ID != "" {
		if out.examined, err = cur.Examine(ctx, pull.ID); err != nil {
			return out, err
		}
	}
	out.Diagnostics = d.Result.Answers(d.Source, t.Job, t.Run.ID, d.By)
	out.Diagnostics.Add(run.Admits(t.Flow, t.Run, t.Job, paths(d.Edits), filesOf(out.examined))...)
	if out.Diagnostics.HasErrors() || d.DryRun {
		return out, nil
	}
	if out.Task, err = Claim(ctx, cur.Workspace, t, d.By); err != nil {
		return out, err
	}
	r := run.Record{Result: &d.Result, Spent: t.Spent}
	d.Result.Masked(trial.Masked)
	d.Result.Run, d.Result.Job, d.Result.Agent, d.Result.Files = t.Run.ID, t.Job.Name, d.By, paths(d.Edits)
	if len(d.Edits) > 0 {
		if pull, err = out.pushed(ctx, cur, d); err != nil || out.Diagnostics.HasErrors() {
			return out, err
		}
		out.Pushed, r.Proposal, r.Head = true, pull.ID, pull.Head.String()
	} else if touches(t.Job) && pull.State == forge.Open {
		//defence:refused-files-are-not-a-result
		out.Diagnostics = append(out.Diagnostics, refusals(out.examined)...)
		if out.Diagnostics.HasErrors() {
			return out, nil
		}
		if t.Run.Proposal == "" { // the files of an attempt whose result was never recorded are those of this one
			out.Pushed, r.Proposal, r.Head = true, pull.ID, pull.Head.String()
		}
	}
	why, err := out.derive(ctx, cur, &d.Result)
	if err != nil {
		return out, err
	}
	if out.Diagnostics.Add(d.Result.Coverage(d.Source, t.Job)...); out.Diagnostics.HasErrors() {
		return out, nil
	}
	out.Run, err = cur.Runs.Append(ctx, t.Run.ID, d.By, cur.Now(), func(s run.State) (*run.Record, error) {
		if err := out.checkHolder(s, d.By); err != nil {
			return nil, err
		}
		done := run.Conclude(t.Flow, s, t.Job, r)
		if out.Refused = ""; done.Kind == run.Failed {
			if why != "" {
				done.Reason += "; " + why
			}
			out.Refused = done.Reason
		}
		return &done, nil
	})
	out.State = out.Run.Jobs[t.Job.Name]
	return out, err
}

// PullOf returns the proposal of a run. Until a result with files is recorded, that is the one that an
// attempt opened whose files were refused, or whose process was killed; its id is the run's. Without a
// proposal, the id is "".
func PullOf(ctx context.Context, w *workspace.Workspace, s run.State) (forge.Pull, error) {
	pull, err := w.Forge.Get(ctx, cmp.Or(s.Proposal, s.ID))
	if errors.Is(err, forge.ErrNotFound) && s.Proposal == "" {
		return forge.Pull{}, nil
	}
	return pull, err
}

// checkHolder returns an error if name's result cannot be recorded, because another agent has the
// newest claim or another attempt began.
func (t Task) checkHolder(s run.State, name string) error {
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

// filesOf lists the files that a proposal has so far.
func filesOf(ex workspace.Examined) (out []string) {
	for _, f := range ex.Report.Files {
		out = append(out, f.Path)
	}
	return out
}

// refusals are the findings for which validation refuses a proposal. A conflict with main is not
// the agent's to settle.
func refusals(ex workspace.Examined) diag.List {
	if ex.Case.Conflicted || ex.Report.Passed {
		return nil
	}
	return ex.Report.Diagnostics
}

// attempts bounds how often a delivery begins again because the branch moved meanwhile.
const attempts = 16

// pushed calls push, again if another process was faster.
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
	pull, err := PullOf(ctx, cur.Workspace, t.Run)
	switch {
	case err != nil:
		return pull, err
	case pull.ID == "":
		return t.open(ctx, cur.Workspace, r)
	}
	out, err := propose.Extend(ctx, cur.Workspace, pull.ID, r)
	if errors.Is(err, propose.ErrNothing) { // a killed process pushed it, or the files exist already
		out.Examined, err = propose.Settle(ctx, cur, pull.ID)
		out.Pull = out.Examined.Case.Pull
	}
	if err != nil {
		return pull, err
	}
	return t.keepOpen(out)
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
	return t.keepOpen(out)
}

func why(inputs map[string]string) string {
	for _, name := range []string{"goal", "missing", "reason"} {
		if inputs[name] != "" {
			return inputs[name]
		}
	}
	return "Asked for by a workflow: " + strings.Join(slices.Sorted(maps.Keys(inputs)), ", ")
}

// keepOpen keeps the task open if validation refuses the branch.
func (t *Delivered) keepOpen(out propose.Outcome) (forge.Pull, error) {
	t.Pushed, t.examined = out.Opened, out.Examined
	t.Diagnostics.Add(out.Diagnostics...)
	t.Diagnostics.Add(refusals(out.Examined)...)
	pull := out.Examined.Case.Pull
	if pull.ID == "" {
		pull = out.Pull
	}
	return pull, nil
}
