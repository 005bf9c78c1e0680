package task

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/gc"
	"github.com/assent-dev/assent/engine/proposals/merge"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// engine is the name under which the engine itself acts.
const engine = "assent"

// steps bounds how many steps one call makes; a run has fewer.
const steps = 2000

// Advanced is the result of advancing a run.
type Advanced struct {
	run.State
	// Steps are the records that were appended.
	Steps []run.Record
	// Waits says what actions wait for, "" for nothing.
	Waits string
	// Flow is the workflow by which the run goes on; zero if it cannot.
	Flow workflow.Workflow
	// Scripts is the number of scripts that run, or wait for their turn, beside this call.
	Scripts int
	// Worktree says what happened to a checkout after a merge.
	Worktree gitstore.Refresh
	// begun is told of a script that begins; nil for none.
	begun func(run.Record)
	// hub is taken by each step that goes to the remote first: see Workers.
	hub chan struct{}
	// shown is the merge result that the script sees; zero if it sees what is in force.
	shown merged
}

// Advance does everything on a run that needs no person or agent: it asks, reminds, gives
// up and carries out actions. Its scripts run side by side, and Advance waits for them. A waiting
// action is tried once and delays no job that does not need it. Several processes may call it at
// once.
func Advance(ctx context.Context, w *workspace.Workspace, id string) (out Advanced, err error) {
	workers := Within(ctx, w)
	defer workers.Stop()
	workers.Beside(1, func(int) { out, err = AdvanceBy(ctx, w, id, workers) })
	return out, err
}

// AdvanceBy is Advance by given workers. Those of NewWorkers run the scripts after it has returned. Those of
// Within are waited for, and it is called in their Beside.
func AdvanceBy(ctx context.Context, w *workspace.Workspace, id string, workers *Workers) (Advanced, error) {
	return advance(ctx, w, id, workers, false)
}

// advance advances a run; with scripts, it leaves all actions but scripts to another call.
func advance(ctx context.Context, w *workspace.Workspace, id string, workers *Workers, scripts bool) (Advanced, error) {
	var out Advanced
	var stuck, why []string
	var failed error
	at := waitingFor(workers)
	defer at.rest() // with others in one pass, it must leave no script whose end no one takes
	out.hub = workers.hub
	w = workers.remembering(w)
	for n := range steps {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		cur, err := w.Session(ctx)
		if err != nil {
			return out, err
		}
		if out.State, err = w.Runs.Read(id); err != nil {
			return out, err
		}
		if n == 0 {
			defs, err := workers.definitions(cur)
			if err == nil {
				err = defs.replace(ctx, out.State)
			}
			if err != nil {
				return out, err
			}
		}
		def, next, waits, err := workers.due(ctx, cur, out.State, slices.Concat(stuck, at.jobs))
		out.Flow = def.Workflow
		switch {
		case err != nil:
			return out.waiting(why), errors.Join(failed, err)
		case next.Action == run.Script && (!def.Replaced || len(next.Job.Script.Secrets) == 0):
			at.start(id, next.Job.Name)
			continue
		case next.IsZero() || scripts && next.Record == nil && next.Action != run.Script:
			done, ok := at.next()
			if !ok {
				if out.Scripts = len(at.jobs); waits != "" {
					why = append(why, waits)
				}
				return out.waiting(why), failed
			}
			out.Steps = append(out.Steps, done.Steps...)
			out.Waits = done.Waits
			if done.err != nil {
				failed = errors.Join(failed, done.err)
				stuck = append(stuck, done.job)
			}
			next.Job.Name = done.job
		default:
			went, err := out.step(ctx, cur, def, next)
			if err != nil || !went && out.Waits == "" {
				return out.waiting(why), errors.Join(failed, err)
			}
		}
		if out.Waits != "" {
			stuck = append(stuck, next.Job.Name)
			if !slices.Contains(why, out.Waits) {
				why = append(why, out.Waits)
			}
			out.Waits = ""
		}
	}
	return out, fmt.Errorf("run %s does not settle", id)
}

// waiting sets Waits to the given reasons, unless the run has ended.
func (a Advanced) waiting(why []string) Advanced {
	if a.Outcome == "" {
		a.Waits = strings.Join(why, "; ")
	}
	return a
}

// due returns the next step of a run by its definition, leaving out the stuck jobs. why says what
// the run as a whole waits for.
func (ws *Workers) due(ctx context.Context, cur workspace.Session, s run.State, stuck []string) (def Definition, next run.Next, why string, err error) {
	defs, err := ws.definitions(cur)
	if err != nil {
		return def, next, "", err
	}
	var pull forge.Pull
	if s.Proposal != "" && s.Outcome == "" {
		if pull, err = cur.Forge.Get(ctx, s.Proposal); err != nil {
			return def, next, "", err
		}
	}
	return defs.Due(ctx, s, pull, stuck...)
}

// Due returns the definition of a run and its next step by it; why says what the run as a whole
// waits for. pull is the run's proposal, the zero value if it has none. without are jobs whose
// action must wait.
func (d *Definitions) Due(ctx context.Context, s run.State, pull forge.Pull, without ...string) (def Definition, next run.Next, why string, err error) {
	if s.Outcome != "" {
		return def, next, "", nil
	}
	def, err = d.Of(ctx, s)
	if err != nil || def.Waits != "" {
		return def, next, def.Waits, err
	}
	if s.Proposal == "" { // no result names it yet, and none can any more if it was closed
		if own, err := PullOf(ctx, d.cur.Workspace, s); err == nil && own.State == forge.Closed {
			pull = own
		}
	}
	if why := endReason(def, s, pull); why != "" {
		return def, run.Next{Record: &run.Record{V: run.Version, Kind: run.Ended, Outcome: run.Broke, Reason: why}}, "", nil
	}
	if why := d.unapproved(def.Workflow, s); why != "" {
		return def, run.Next{Record: &run.Record{V: run.Version, Kind: run.Ended, Outcome: run.Broke, Reason: why}}, "", nil
	}
	//defence:old-events-begin-nothing
	if why := d.late(def, s, pull); why != "" {
		return def, run.Next{Record: &run.Record{V: run.Version, Kind: run.Ended, Outcome: run.Broke, Reason: why}}, "", nil
	}
	if early(d, s) {
		return def, run.Next{Record: &run.Record{V: run.Version, Kind: run.Ended, Outcome: run.Broke, Reason: "its beginning is dated ahead"}}, "", nil
	}
	if r := lost(d.cur.Workspace, s); r != nil {
		return def, run.Next{Record: r}, "", nil
	}
	if turn, err := d.turn(ctx, def, s); err != nil || turn != (Turn{}) {
		if turn.Replaced != "" {
			return def, turn.next(), "", err
		}
		return def, next, turn.String(), err
	}
	return def, run.Decide(def.Workflow, s, d.cur.Now(), without...), "", nil
}

// endReason returns the reason why a run must end regardless of its jobs, or "".
func endReason(flow Definition, s run.State, pull forge.Pull) string {
	switch {
	case !flow.Found:
		return flow.Ends
	case pull.State == forge.Closed && pull.ID != s.About:
		return fmt.Sprintf("the proposal was %s", pull.Why)
	}
	for _, in := range flow.Inputs { // whoever can push can write a journal with any
		if text := s.Inputs[in.Name]; text != "" && in.Fault(text) != "" {
			return fmt.Sprintf("the workflow takes no such input %s", in.Name)
		}
	}
	for _, j := range flow.Jobs {
		values := j.Group.Values(s.Inputs)
		for _, in := range flow.InputsOf(j) {
			if text := values[in.Name]; text != "" && in.Fault(text) != "" {
				return fmt.Sprintf("the job %s takes no such input %s", j.Name, in.Name)
			}
		}
	}
	for _, j := range flow.Jobs { // jobs that change or judge a proposal can come too late
		late := !run.Concluded(flow.Workflow, s, j) && (pull.State == forge.Merged && (touches(j) || j.Uses == workflow.Validate) ||
			pull.State == forge.Closed && (touches(j) || j.Uses != "" && j.Uses != workflow.Notify || j.Script != nil && s.Event != workflow.ProposalRejected))
		if late {
			return fmt.Sprintf("the proposal was %s before %s was done", pull.State, j.Name)
		}
	}
	return ""
}

// touches reports whether a job can change a proposal.
func touches(j workflow.Job) bool { return len(j.Deliver)+len(j.May) > 0 }

func named(all []workflow.Workflow, name string) (workflow.Workflow, bool) {
	for _, f := range all {
		if f.Name == name && !f.Direct() {
			return f, true
		}
	}
	return workflow.Workflow{}, false
}

// step does one step; went is false if it must wait.
func (a *Advanced) step(ctx context.Context, cur workspace.Session, def Definition, next run.Next) (went bool, err error) {
	flow := def.Workflow
	if next.Record != nil {
		return a.append(ctx, cur.Workspace, func(s run.State) (*run.Record, error) {
			// The step is decided again on the journal's present state, except for the
			// proposal's state, which is the one read before.
			seen := s.Outcome == "" && s.Records == a.Records
			if k := next.Record.Kind; seen && (k == run.Lost || k == run.Ended && next.Record.Outcome != run.Completed) {
				return next.Record, nil
			}
			if !def.Found {
				return nil, nil
			}
			return run.Decide(flow, s, cur.Now()).Record, nil
		})
	}
	if a.Proposal == "" && (next.Action == workflow.Merge || next.Action == workflow.Validate) {
		return a.append(ctx, cur.Workspace, func(s run.State) (*run.Record, error) {
			if s.Outcome != "" || s.Proposal != "" {
				return nil, nil
			}
			return &run.Record{V: run.Version, Kind: run.Ended, Outcome: run.Broke, Reason: next.Job.Name + " needs a proposal, and the run has none"}, nil
		})
	}
	switch next.Action {
	case workflow.Merge:
		return a.merge(ctx, cur.Workspace, flow, next.Job)
	case run.Script:
		return a.script(ctx, cur, def, next.Job)
	case workflow.GC:
		return a.collect(ctx, cur.Workspace, flow, next.Job)
	}
	return a.validate(ctx, cur, flow, next.Job)
}

// append appends the record that decide returns; went is false if it returns nil.
func (a *Advanced) append(ctx context.Context, w *workspace.Workspace, decide func(run.State) (*run.Record, error)) (went bool, err error) {
	var added *run.Record
	before := ""
	s, err := w.Runs.Append(ctx, a.ID, engine, w.Now(), func(s run.State) (*run.Record, error) {
		r, err := decide(s)
		if added = r; r != nil {
			before = s.Jobs[r.Job].Token
		}
		return r, err
	})
	if err != nil {
		return false, err
	}
	if added == nil { // another process was faster: look again
		return a.Records != s.Records, nil
	}
	if added.Kind == run.Lost {
		forget(w, before)
	}
	a.State = s
	a.Steps = append(a.Steps, *added)
	return true, nil
}

// conclude records the outcome of an action, unless another process did.
func (a *Advanced) conclude(ctx context.Context, w *workspace.Workspace, flow workflow.Workflow, j workflow.Job, r run.Record) (bool, error) {
	return a.append(ctx, w, func(s run.State) (*run.Record, error) {
		if status := s.Jobs[j.Name].Status; s.Outcome != "" || status == run.Did || status == run.Gave || status == run.Left {
			return nil, nil
		}
		r := run.Conclude(flow, s, j, r)
		return &r, nil
	})
}

func (a *Advanced) validate(ctx context.Context, cur workspace.Session, flow workflow.Workflow, j workflow.Job) (bool, error) {
	ex, err := propose.Settle(ctx, cur, a.Proposal)
	if err != nil {
		return false, err
	}
	if ex.Case.Conflicted {
		a.Waits = "main changed the same files: " + ex.Result.Settle(a.Proposal, ex.Case.Proposal)
		return false, nil
	}
	return a.conclude(ctx, cur.Workspace, flow, j, run.Record{Report: reportOf(ex)})
}

// collect is repeated by the next process after a kill, and then finds the existing
// proposals.
func (a *Advanced) collect(ctx context.Context, w *workspace.Workspace, flow workflow.Workflow, j workflow.Job) (bool, error) {
	found, err := gc.Run(ctx, w, false)
	if err != nil {
		return false, err
	}
	reason := "nothing was proposed"
	proposed, withdrawn := gc.Summary(found)
	if proposed != "" {
		reason = "proposed " + proposed
	}
	if withdrawn != "" {
		reason += "; withdrew " + withdrawn
	}
	return a.conclude(ctx, w, flow, j, run.Record{Reason: reason})
}

func reportOf(ex workspace.Examined) *run.Report {
	return &run.Report{
		Head: ex.Case.Pull.Head.String(), Passed: ex.Report.Passed, Errors: ex.Report.Diagnostics.Count(diag.Error),
		Warnings: ex.Report.Diagnostics.Count(diag.Warning), Risk: ex.Risk.Tier.String(), Summary: ex.Report.Summary(),
	}
}

func (a *Advanced) merge(ctx context.Context, w *workspace.Workspace, flow workflow.Workflow, j workflow.Job) (bool, error) {
	out, err := merge.Run(ctx, w, a.Proposal, forge.Actor{Name: engine}, false)
	var moved *gitstore.ErrStale
	switch {
	case errors.Is(err, forge.ErrClosed), errors.As(err, &moved):
		return true, nil // the next look sees it
	case err != nil:
		return false, err
	case out.Queued:
		a.Waits = "the service merges it when its conditions are met"
		return false, nil
	case !out.Merged:
		a.Waits = out.Refused
		return false, nil
	}
	a.Worktree = out.Worktree
	return a.conclude(ctx, w, flow, j, run.Record{Head: out.Commit.String(), Reason: "merged as " + out.Commit.Short()})
}
