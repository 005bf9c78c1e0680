package task

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
	"github.com/assent-dev/assent/engine/workspace/runlog"
)

// The reasons why a run cannot be repeated.
var (
	ErrGoesOn     = errors.New("the run has not ended")
	ErrNothing    = errors.New("no job of the run failed or was skipped")
	ErrUndefined  = errors.New("the run cannot be repeated")
	ErrNoContents = errors.New("the run worked on a proposal of its own")
)

// Retry returns the beginning of a run that repeats one that ended. With failed it keeps the
// results of the jobs that were done and need none of the others, and follows the same version of the workflow; otherwise it
// follows the one in force.
func Retry(ctx context.Context, cur workspace.Session, id string, failed bool) (Beginning, error) {
	s, err := cur.Runs.Read(id)
	if err != nil {
		return Beginning{}, err
	}
	if s.Outcome == "" {
		return Beginning{}, fmt.Errorf("%s: %w", id, ErrGoesOn)
	}
	if s.About != "" {
		pull, err := cur.Forge.Get(ctx, s.About)
		if err != nil {
			return Beginning{}, err
		}
		if at := Ended(cur.Workspace, pull); pull.State != forge.Open && cur.Now().Sub(at) > Late {
			return Beginning{}, fmt.Errorf("%w: %s was %s on %s, and a run about that begins within 31 days", ErrUndefined, s.About, pull.State, at.UTC().Format(time.DateOnly))
		}
	}
	defs, err := DefinitionsOf(cur)
	if err != nil {
		return Beginning{}, err
	}
	b := Beginning{Event: s.Event, Inputs: s.Inputs, About: s.About, Of: id, For: s.For}
	var own forge.Pull
	if s.Proposal != s.About {
		if own, err = cur.Forge.Get(ctx, s.Proposal); err != nil {
			return b, err
		}
	}
	if own.State == forge.Open {
		b.Leaves = own.ID
	}
	if !failed {
		flow, there := named(defs.now, s.Workflow)
		if !there {
			return b, fmt.Errorf("%w: the workflow %s is in force no longer", ErrUndefined, s.Workflow)
		}
		b.Workflow = flow
		return b, nil
	}
	err = b.onlyFailed(ctx, defs, s, own)
	return b, err
}

// onlyFailed keeps the results of the jobs of a run that were done and need none that is repeated, and its
// version. It goes on with the open proposal of its own that the run had.
func (b *Beginning) onlyFailed(ctx context.Context, defs *Definitions, s run.State, own forge.Pull) error {
	def, err := defs.Of(ctx, s)
	switch {
	case err != nil:
		return err
	case !def.Found:
		return fmt.Errorf("%w: %s", ErrUndefined, def.Ends+def.Waits)
	case own.ID != "" && own.State != forge.Open:
		return fmt.Errorf("%w, %s, which was %s: its jobs can be repeated only all together", ErrNoContents, own.ID, own.State)
	}
	b.Category = s.Category
	if b.Workflow = def.Workflow; s.Commit != "" {
		if b.Commit, err = tree.ParseHash(s.Commit); err != nil {
			return err
		}
	}
	repeated := unfinished(def.Jobs, s, own)
	if len(repeated) == 0 {
		return fmt.Errorf("%s: %w", s.ID, ErrNothing)
	}
	b.Kept = map[string]run.Job{}
	for _, j := range def.Jobs {
		state := s.Jobs[j.Name]
		if repeated[j.Name] || j.Approve != "" { // an approval is for one run
			continue
		}
		b.Kept[j.Name] = state
		if state.Artifacts == nil {
			continue
		}
		if has, err := defs.cur.Runs.HasArtifacts(s.ID, *state.Artifacts); err != nil {
			return err
		} else if !has {
			return fmt.Errorf("%s/%s: %w", s.ID, j.Name, ErrGone)
		}
	}
	if own.ID == "" || len(b.Kept) == 0 {
		return nil
	}
	b.Leaves, b.Proposal = "", own.ID
	return b.takesOn(defs.cur, def.Workflow, s, repeated)
}

// takesOn refuses what would hide from not-by who worked on the proposal. The new run knows the hands of the
// jobs that it keeps, so a job that another one names must not have been taken if it is repeated; and each run
// is taken on once, as two would not know of each other.
func (b *Beginning) takesOn(cur workspace.Session, flow workflow.Workflow, s run.State, repeated map[string]bool) error {
	for _, j := range flow.Jobs {
		for _, name := range j.NotBy {
			if repeated[name] && len(s.Jobs[name].Hands) > 0 {
				return fmt.Errorf("%w, %s, and %s must not be by the agent who took %s, which is repeated: its jobs can be repeated only all together", ErrNoContents, b.Proposal, j.Name, name)
			}
		}
	}
	next := onceID(s)
	there, err := cur.Runs.Has(next)
	if there {
		err = fmt.Errorf("%w, %s, and %s went on with it: to go on, assent run retry %s --failed", ErrNoContents, b.Proposal, next, names.ShellWord(next))
	}
	return err
}

// onceID is the ID of the only run that takes over the proposal of another one.
func onceID(s run.State) string {
	b := Beginning{Workflow: workflow.Workflow{Name: s.Workflow}, Event: s.Event, Inputs: s.Inputs, About: s.About, Of: s.ID, Proposal: s.Proposal}
	b.Key = b.onceKey()
	return ID(b)
}

// maxContinued bounds how many runs count that went on with one proposal: anyone who can push can write their journals.
const maxContinued = 100

// Continued are a run and those that went on with its proposal, in order, at most maxContinued. What cannot be read, or
// repeats another run, ends the list.
func Continued(cur workspace.Session, id string) (out []run.State, err error) {
	for len(out) < maxContinued {
		s, err := cur.Runs.Read(id)
		if err != nil && runlog.Unreadable(err) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if n := len(out); n > 0 && s.Of != out[n-1].ID {
			return out, nil
		}
		out = append(out, s)
		id = onceID(s)
	}
	return out, nil
}

// Before are the runs that a run repeats, the newest first, at most maxContinued. One that cannot be read ends the list.
func Before(cur workspace.Session, s run.State) (out []run.State) {
	for s.Of != "" && len(out) < maxContinued {
		var err error
		if s, err = cur.Runs.Read(s.Of); err != nil {
			break
		}
		out = append(out, s)
	}
	return out
}

// onceKey is the key of the only run that takes over the proposal of another one.
func (b *Beginning) onceKey() string { return b.Of + "\x00" + b.Proposal }

// unfinished returns the jobs of a run that were not done, and those that need one of them, directly or
// through others: their results are about the earlier outcome. So is a validation of another head of the
// run's own proposal.
func unfinished(jobs []workflow.Job, s run.State, own forge.Pull) map[string]bool {
	out := map[string]bool{}
	for before := -1; before < len(out); {
		before = len(out)
		for _, j := range jobs {
			state := s.Jobs[j.Name]
			stale := own.ID != "" && state.Report != nil && state.Report.Head != own.Head.String()
			if state.Status != run.Did || stale || slices.ContainsFunc(j.Needs, func(need string) bool { return out[need] }) {
				out[j.Name] = true
			}
		}
	}
	return out
}

// keep records the results that a run takes over from the one that it repeats. If it is
// interrupted, the remaining jobs are done again.
func (b Beginning) keep(ctx context.Context, cur workspace.Session, s run.State) (run.State, error) {
	for _, j := range b.Workflow.Jobs {
		kept, is := b.Kept[j.Name]
		if !is {
			continue
		}
		var err error
		s, err = cur.Runs.Append(ctx, s.ID, engine, cur.Now(), func(now run.State) (*run.Record, error) {
			if _, begun := now.Jobs[j.Name]; begun || now.Outcome != "" {
				return nil, nil
			}
			return &run.Record{
				V: run.Version, Kind: run.Done, Job: j.Name, Proposal: b.Proposal, Head: kept.Head, Hands: kept.TakenOver(), Reason: run.KeptFrom(b.Of), Result: kept.Result, Report: kept.Report, Output: kept.Output, Outputs: kept.Outputs, Artifacts: kept.Artifacts,
			}, nil
		})
		if err != nil {
			return s, err
		}
	}
	return s, nil
}
