package reconcile

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// Due is a run that needs work.
type Due struct {
	ID, Workflow string
	// At identifies the state in which the run was found.
	At tree.Hash
}

func runSubject(id string) string { return "run/" + id }

// pushed returns the newest head that was pushed after the opening by anyone but the
// engine.
func pushed(all []forge.Push) (head tree.Hash) {
	for _, p := range all[min(1, len(all)):] {
		if !p.Engine {
			head = p.New
		}
	}
	return head
}

// observeRuns observes the active runs and marks the proposals that they hold. The
// runs that events call for are found by observeStarts, which knows the time of the last pass.
func (o *Observation) observeRuns(ctx context.Context, w *workspace.Workspace) error {
	states, _, err := w.Runs.Active() // doctor and assent runs name the damaged
	if err != nil {
		return err
	}
	open := map[string]int{}
	for i, p := range o.Pulls {
		open[p.ID] = i
	}
	for _, s := range states {
		at, isOpen := open[s.Proposal]
		var pull forge.Pull
		if s.Proposal != "" {
			if pull, err = w.Forge.Get(ctx, s.Proposal); err != nil {
				continue // the proposal's own examination reports what is wrong with it
			}
		}
		next := task.Due(o.Workflows, s, pull, w)
		if isOpen && merges(o.Workflows, s.Workflow) {
			o.Pulls[at].Held = true
		}
		if next.IsZero() || isOpen && next.Action == workflow.Merge && !o.Pulls[at].Approved {
			continue
		}
		o.Runs = append(o.Runs, Due{ID: s.ID, Workflow: s.Workflow, At: tree.BlobHash([]byte(strconv.Itoa(s.Records)))})
	}
	return nil
}

func merges(all []workflow.Workflow, name string) bool {
	return slices.ContainsFunc(all, func(f workflow.Workflow) bool {
		return f.Name == name && slices.ContainsFunc(f.Jobs, func(j workflow.Job) bool { return j.Uses == workflow.Merge })
	})
}

// observeStarts finds the runs that events call for. Each event determines its run's id, so a run
// is started once, by whichever clone.
func (o *Observation) observeStarts(ctx context.Context, w *workspace.Workspace, next Next) error {
	if err := o.observeEnded(ctx, w); err != nil {
		return err
	}
	for _, f := range o.Workflows {
		if f.Direct() {
			continue
		}
		for _, b := range o.eventsOf(f, next) {
			b.Workflow, b.By = f, engineActor().Name
			there, err := w.Runs.Has(task.ID(b))
			if err != nil {
				return err
			}
			if !there {
				o.Starts = append(o.Starts, b)
			}
		}
	}
	slices.SortFunc(o.Starts, func(a, b task.Beginning) int { return cmp.Compare(task.ID(a), task.ID(b)) })
	return nil
}

// eventsOf returns the events of one workflow that hold now.
func (o *Observation) eventsOf(f workflow.Workflow, next Next) []task.Beginning {
	var out []task.Beginning
	add := func(event, about, key string) {
		out = append(out, task.Beginning{Event: event, About: about, Key: key, Inputs: defaults(f)})
	}
	for _, event := range f.On.Proposal {
		for _, p := range o.Pulls {
			switch {
			case event == workflow.ProposalOpened:
				add(event, p.ID, "")
			case event == workflow.ProposalUpdated && !p.Pushed.IsZero():
				add(event, p.ID, p.Pushed.String())
			case event == workflow.ProposalApproved && p.Approved:
				add(event, p.ID, p.Head.String())
			}
		}
		for _, p := range o.Ended {
			if p.State == ending(event) && o.Known.news(p) {
				add(event, p.ID, p.Head.String())
			}
		}
	}
	if at, fired := o.fired(f.On.Schedule, next); fired {
		add(workflow.Schedule, "", at.UTC().Format(time.RFC3339))
	}
	return out
}

// fired is when a schedule fired last; two passes that see the same time start the same
// run, whatever they remember.
func (o *Observation) fired(expression string, next Next) (last time.Time, ok bool) {
	if expression == "" {
		return last, false
	}
	at := o.Last
	if at.IsZero() || o.Now.Sub(at) > span {
		at = o.Now.Add(-recent)
	}
	for {
		t, ever := next(expression, at)
		if !ever || t.After(o.Now) {
			return last, !last.IsZero()
		}
		last, at = t, t
	}
}

func defaults(f workflow.Workflow) map[string]string {
	out := map[string]string{}
	for _, in := range f.Inputs {
		if in.Default != "" {
			out[in.Name] = in.Default
		}
	}
	return out
}

func startOne(ctx context.Context, w *workspace.Workspace, a Action, r *Result) error {
	s, began, err := task.Begin(ctx, w, *a.Begin)
	if err != nil {
		return err
	}
	r.Outcome, r.Reason, r.Proposal = Started, a.Begin.Event, s.Proposal
	if !began {
		r.Outcome, r.Reason = Lost, "another pass started it"
	}
	return nil
}

func advanceOne(ctx context.Context, w *workspace.Workspace, a Action, r *Result) error {
	out, err := task.Advance(ctx, w, strings.TrimPrefix(a.Subject, runSubject("")))
	if err != nil {
		return err
	}
	r.Worktree = out.Worktree
	switch {
	case out.Outcome != "":
		r.Outcome, r.Reason = Ended, string(out.Outcome)
		if out.Reason != "" {
			r.Reason += ": " + out.Reason
		}
	case out.Waits != "":
		r.Outcome, r.Reason = Waits, out.Waits
	case len(out.Steps) == 0:
		r.Outcome, r.Reason = Lost, "another process was faster"
	default:
		r.Outcome, r.Reason = Advanced, summarize(out.Steps)
	}
	return nil
}

// summarize summarizes run records in one line.
func summarize(steps []run.Record) string {
	var out []string
	for _, s := range steps {
		text := string(s.Kind) + " " + s.Job
		if s.Role != "" {
			text = string(s.Kind) + " " + s.Role + " for " + s.Job
		}
		out = append(out, strings.TrimSpace(text))
	}
	return strings.Join(out, ", ")
}
