package reconcile

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
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

// Work counts what active runs do: scripts that are due, scripts that run, and tasks that wait. Age is how
// long the longest queued script has been due.
type Work struct {
	Runs, Queued, Running, Waiting int
	Age                            time.Duration
}

// add counts a run. Scripts count as queued only if the run's next step is a script. free is when its concurrency group
// became free, zero if the run has begun or has no group.
func (k *Work) add(def task.Definition, s run.State, next run.Next, free, now time.Time) {
	k.Runs++
	for _, j := range s.Jobs {
		switch j.Status {
		case run.Running:
			k.Running++
		case run.Waiting:
			k.Waiting++
		}
	}
	if next.Action != run.Script {
		return
	}
	for _, j := range run.Scripts(def.Workflow, s, now) {
		k.Queued++
		since := s.Ready(j)
		for _, at := range []time.Time{free, s.Jobs[j.Name].Asked, s.Jobs[j.Name].At} { // when the previous attempt ended or was lost
			if at.After(since) {
				since = at
			}
		}
		for _, guard := range def.Guards(j) {
			if at := s.Jobs[guard.Name].At; at.After(since) {
				since = at
			}
		}
		k.Age = max(k.Age, now.Sub(since))
	}
}

// groupFreeSince returns when the previous run of the group ended, if s is the next to begin; otherwise zero. ends are
// the ends of the newest runs of all groups.
func groupFreeSince(ends func() (map[string]time.Time, error), s run.State, next run.Next) (time.Time, error) {
	if s.Group == "" || !s.First.IsZero() || next.Action != run.Script {
		return time.Time{}, nil
	}
	all, err := ends()
	return all[s.Group], err
}

// groupEnds reads all runs, so it is called once for all that are queued.
func groupEnds(cur workspace.Session) (map[string]time.Time, error) {
	out := map[string]time.Time{}
	all, _, err := cur.Runs.Standing()
	for _, s := range all {
		if s.At.After(out[s.Group]) {
			out[s.Group] = s.At
		}
	}
	return out, err
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
func (o *Observation) observeRuns(ctx context.Context, cur workspace.Session) error {
	states, _, err := cur.Runs.Active() // doctor and assent runs name the damaged
	if err != nil {
		return err
	}
	defs := task.DefinitionsAmong(cur, o.Workflows)
	ends := sync.OnceValues(func() (map[string]time.Time, error) { return groupEnds(cur) })
	open := map[string]int{}
	for i, p := range o.Pulls {
		open[p.ID] = i
	}
	for _, s := range states {
		at, isOpen := open[s.Proposal]
		var pull forge.Pull
		if s.Proposal != "" {
			if pull, err = cur.Forge.Get(ctx, s.Proposal); err != nil {
				continue // the proposal's own examination reports what is wrong with it
			}
		}
		def, next, _, err := defs.Due(ctx, s, pull)
		if err != nil {
			return err
		}
		free, err := groupFreeSince(ends, s, next)
		if err != nil {
			return err
		}
		o.Work.add(def, s, next, free, o.Now)
		holds := isOpen && (merges(def.Workflow) || def.Waits != "" || s.About == "" && len(s.BeforeMerge(def.Workflow)) > 0)
		//defence:runs-hold-what-they-make
		if holds {
			if holds, err = o.mayHold(cur, s, def, o.Pulls[at]); err != nil {
				return err
			}
		}
		if holds {
			o.Pulls[at].Held = true
		}
		if next.IsZero() || isOpen && next.Action == workflow.Merge && !o.Pulls[at].Approved {
			continue
		}
		o.Runs = append(o.Runs, Due{ID: s.ID, Workflow: s.Workflow, At: tree.BlobHash([]byte(strconv.Itoa(s.Records)))})
	}
	return nil
}

// mayHold reports whether an active run may hold a proposal: it made it, or an event about the proposal began the run
// and its workflow merges. Anyone who can push can write a run that names any proposal.
func (o *Observation) mayHold(cur workspace.Session, s run.State, def task.Definition, p Pull) (bool, error) {
	if s.About != "" {
		flow := def.Workflow
		for _, f := range o.Workflows {
			if !def.Found && f.Name == s.Workflow {
				flow = f
			}
		}
		return s.About == p.ID && merges(flow) && slices.Contains(flow.On.Proposal, s.Event), nil
	}
	if !p.Made {
		return false, nil
	}
	all, err := task.Continued(cur, p.ID) // a proposal of a run has its ID
	for _, c := range all {
		if c.ID == s.ID {
			return true, err
		}
	}
	return false, err
}

func merges(f workflow.Workflow) bool {
	return slices.ContainsFunc(f.Jobs, func(j workflow.Job) bool { return j.Uses == workflow.Merge })
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
		started := map[string]bool{}
		for _, b := range o.eventsOf(f, next) {
			b.Workflow, b.Commit, b.By = f, o.InForce, engineActor().Name
			there, err := o.begun(w, &b)
			if err != nil {
				return err
			}
			if !there {
				started[b.About] = true
				o.Starts = append(o.Starts, b)
			} else if p, lacks := o.lacking(b.About, f.Name); lacks && delivers(w, b, p) && o.Now.Sub(o.settled(w, p)) < patience {
				started[b.About] = true
			}
		}
		if err := o.observeChecks(w, f, started); err != nil {
			return err
		}
	}
	order.Sort(o.Starts, func(a, b task.Beginning) int { return cmp.Compare(task.ID(a), task.ID(b)) })
	return nil
}

// begun reports whether the run of an event was begun. Everyone knows when a schedule fires, and anyone who can push
// can write the journals of its runs beforehand: one that cannot be read, is of something else, begins before the
// schedule fired or is dated ahead is not the event's run. The event then takes the next key, the same for all clones.
func (o *Observation) begun(w *workspace.Workspace, b *task.Beginning) (bool, error) {
	key := b.Key
	for n := 1; ; n++ {
		there, err := w.Runs.Has(task.ID(*b))
		if err != nil || !there || b.Event != workflow.Schedule {
			return there, err
		}
		fired, _ := time.Parse(time.RFC3339, key)
		s, err := w.Runs.Read(task.ID(*b))
		foreign := err != nil || foreign(s, b.Workflow, fired, o.Now) != ""
		//defence:schedules-know-their-runs
		if foreign {
			b.Key = key + replaced + strconv.Itoa(n)
			continue
		}
		return true, nil
	}
}

// replaced comes before the number of journals that are not the run of a schedule's event, in the key of its run.
const replaced = " after "

// dailyRuns bounds the runs of a required check on one merge result in a day. If none of them gives a
// result, another is unlikely to.
const dailyRuns = 3

// patience is how long the result of a run is awaited before another one begins: anyone who can push
// can begin the run of an event in the engine's place, and hold it up.
const patience = time.Hour

// lacking returns an open proposal if it lacks a result of a required check by a workflow.
func (o *Observation) lacking(id, flow string) (p Pull, lacks bool) {
	i := slices.IndexFunc(o.Pulls, func(p Pull) bool { return p.ID == id && p.lacks(flow) })
	if i < 0 {
		return p, false
	}
	return o.Pulls[i], true
}

// lacks reports whether a required check by a workflow lacks a result.
func (p Pull) lacks(flow string) bool {
	return slices.ContainsFunc(p.Checks, func(c policy.CheckStatus) bool { return c.Workflow == flow })
}

// delivers reports whether the run of an event can still give the result that a check lacks: it goes on, and a script of
// the check has not ended. Those that ended were about an earlier merge result. A run whose journal cannot be read gives
// none: doctor names it.
func delivers(w *workspace.Workspace, b task.Beginning, p Pull) bool {
	s, err := w.Runs.Read(task.ID(b))
	return err == nil && s.Outcome == "" && slices.ContainsFunc(p.Checks, func(c policy.CheckStatus) bool {
		named := slices.ContainsFunc(b.Workflow.Jobs, func(j workflow.Job) bool { return j.Name == c.Job })
		return c.Workflow == b.Workflow.Name && slices.ContainsFunc(b.Workflow.Jobs, func(j workflow.Job) bool {
			return j.Script != nil && (!named || j.Name == c.Job) && !s.Settled(j)
		})
	})
}

// settled returns when a proposal's merge result was made: the later date of its head and of the commit
// in force. No record of a run can change it.
func (o *Observation) settled(w *workspace.Workspace, p Pull) (at time.Time) {
	for _, h := range []tree.Hash{o.InForce, p.Head} {
		if c, err := w.Repo.Commit(h); err == nil && c.Committer.When.After(at) && !c.Committer.When.After(o.Now) {
			at = c.Committer.When
		}
	}
	return at
}

// observeChecks finds the proposals whose merge result has no result of a required check by this
// workflow. started are those for which an event starts a run already, or did a short time ago. The
// ids of runs of checks cannot be known before they begin, so that no one else can use them up.
func (o *Observation) observeChecks(w *workspace.Workspace, f workflow.Workflow, started map[string]bool) error {
	for _, p := range o.Pulls {
		if started[p.ID] || !p.lacks(f.Name) {
			continue
		}
		for n := range dailyRuns {
			b := task.Beginning{
				Workflow: f, Commit: o.InForce, By: engineActor().Name, Event: workflow.ProposalUpdated, About: p.ID, Inputs: task.Defaults(f),
				Key: fmt.Sprintf("check %s %s %s %s %s %s %d", p.ID, p.Head, o.InForce, f.Name, f.Digest, o.Now.UTC().Format(time.DateOnly), n),
			}
			var err error
			//defence:runs-of-checks-have-secret-ids
			b.Key, err = review.RunSecret(b.Key, o.runner)
			if err != nil {
				return err
			}
			there, err := w.Runs.Has(task.ID(b))
			if err != nil {
				return err
			}
			if !there {
				o.Starts = append(o.Starts, b)
				break
			}
			if s, err := w.Runs.Read(task.ID(b)); err == nil && s.Outcome == "" && o.Now.Sub(s.Began) < patience {
				break
			}
		}
	}
	return nil
}

// eventsOf returns the events of one workflow that hold now.
func (o *Observation) eventsOf(f workflow.Workflow, next Next) []task.Beginning {
	var out []task.Beginning
	add := func(event, about, key string) {
		out = append(out, task.Beginning{Event: event, About: about, Key: key, Inputs: task.Defaults(f)})
	}
	for _, event := range f.On.Proposal {
		for _, p := range o.Pulls {
			switch {
			case event == workflow.ProposalOpened && !p.Pushed.IsZero() && slices.Contains(p.Required, f.Name) && slices.Contains(f.On.Proposal, workflow.ProposalUpdated):
				// the run of the newer head gives the result of the check
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

func startOne(ctx context.Context, w *workspace.Workspace, a Action, r *Result) error {
	s, began, err := task.Begin(ctx, w, *a.Begin)
	if err != nil {
		return err
	}
	r.Outcome, r.Reason, r.Proposal = Started, a.Begin.Event, s.Proposal
	if _, n, others := strings.Cut(a.Begin.Key, replaced); others && a.Begin.Event == workflow.Schedule {
		r.Reason += "; journals with its id that are not of its time, and do not count: " + n
	}
	if !began {
		r.Outcome, r.Reason = Lost, "another pass started it"
	}
	return nil
}

func advanceOne(ctx context.Context, w *workspace.Workspace, a Action, workers *task.Workers, r *Result) error {
	out, err := task.AdvanceBy(ctx, w, strings.TrimPrefix(a.Subject, runSubject("")), workers)
	if err != nil {
		return err
	}
	r.Worktree = out.Worktree
	for _, step := range out.Steps {
		if step.Kind == run.Lost {
			r.Lost++
		}
	}
	switch {
	case out.Outcome != "" && len(out.Steps) > 0: // else another process ended it
		r.Outcome, r.Reason = Ended, string(out.Outcome)
		if out.Reason != "" {
			r.Reason += ": " + out.Reason
		}
	case out.Waits != "":
		r.Outcome, r.Reason = Waits, out.Waits
	case len(out.Steps) == 0 && out.Scripts > 0:
		r.Outcome = Nothing // the workers report
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
