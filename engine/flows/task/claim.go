package task

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
	"github.com/assent-dev/assent/engine/workspace/runlog"
)

// Task is a waiting task.
type Task struct {
	Run   run.State
	Flow  workflow.Workflow
	Job   workflow.Job
	State run.Job
	// Spent is what a command used for this attempt, for the record of its end; nil if nothing is known.
	Spent *run.Spent
}

// Name is how a task is called on the command line.
func (t Task) Name() string { return t.Run.ID + "/" + t.Job.Name }

// Lock is the file, in the folder assent of the clone, that a worker locks while its command does the task.
func (t Task) Lock() string { return "work/" + t.Run.ID + "--" + t.Job.Name }

// The reasons why an agent cannot take or end a task.
var (
	ErrNoTask  = errors.New("no such task")
	ErrOver    = errors.New("the task is not waiting")
	ErrExpired = errors.New("no one decided in time")
	ErrEnded   = errors.New("nothing is left to cancel")
	ErrNotRole = errors.New("the task is for another role")
	ErrTaken   = errors.New("another agent has the task")
	ErrBarred  = errors.New("barred by not-by")
)

// Gone reports whether an error says that a task, its run or its proposal ended or changed meanwhile, so that the
// caller's work on it is of no use, and other tasks can go on.
func Gone(err error) bool {
	var stale *forge.ErrStale
	return errors.As(err, &stale) || slices.ContainsFunc([]error{
		ErrTaken, ErrOver, ErrBarred, ErrNotRole, ErrNoTask, runlog.ErrNone, forge.ErrClosed, forge.ErrMerged, forge.ErrNotFound,
	}, func(one error) bool { return errors.Is(err, one) })
}

// Waiting lists the waiting tasks of all runs: the more urgent first, then the longest
// waiting. The second result has the errors of unreadable runs.
func Waiting(ctx context.Context, cur workspace.Session) ([]Task, []error, error) {
	defs, err := DefinitionsOf(cur)
	if err != nil {
		return nil, nil, err
	}
	states, damaged, err := cur.Runs.Active()
	if err != nil {
		return nil, nil, err
	}
	var out []Task
	for _, s := range states {
		flow, err := defs.Of(ctx, s)
		if err != nil {
			return nil, nil, err
		}
		for _, j := range flow.Jobs {
			if state := s.Jobs[j.Name]; state.Status == run.Waiting && j.Agent != "" {
				out = append(out, Task{Run: s, Flow: flow.Workflow, Job: j, State: state})
			}
		}
	}
	order.Stable(out, func(a, b Task) int {
		return cmp.Or(urgency(b)-urgency(a), a.State.Asked.Compare(b.State.Asked), cmp.Compare(a.Name(), b.Name()))
	})
	return out, damaged, nil
}

// urgency ranks the run's input priority; the default is normal.
func urgency(t Task) int {
	const normal = 1
	if i := slices.Index([]string{"low", "normal", "high", "critical"}, t.Run.Inputs["priority"]); i >= 0 {
		return i
	}
	return normal
}

// Find returns one task, whatever its state.
func Find(ctx context.Context, cur workspace.Session, id, job string) (Task, error) {
	defs, err := DefinitionsOf(cur)
	if err != nil {
		return Task{}, err
	}
	s, err := cur.Runs.Read(id)
	if err != nil {
		return Task{}, err
	}
	flow, err := defs.Of(ctx, s)
	if err != nil {
		return Task{}, err
	}
	if s.Outcome == "" && !flow.Found {
		return Task{}, fmt.Errorf("%s: %s: %w", id, flow.Ends+flow.Waits, ErrOver)
	}
	j, known := flow.Job(job)
	if !known || j.Agent == "" {
		return Task{}, fmt.Errorf("%s/%s: %w", id, job, ErrNoTask)
	}
	return Task{Run: s, Flow: flow.Workflow, Job: j, State: s.Jobs[job]}, nil
}

// MayDo returns ErrNotRole unless the roles in force give the task's role to name. The name
// is a claim, as in every proposal. A false claim lets the caller write nothing that their
// own proposal could not contain.
//
//defence:tasks-are-for-roles
func MayDo(cur workspace.Session, t Task, name string, now time.Time) error {
	id, known := cur.Policies.Roles.ByName(name)
	if !known || id.Expired(now) || !cur.Policies.Roles.Has(id, t.State.Role) {
		return fmt.Errorf("%s is for %s, which %q is not: %w", t.Name(), t.State.Role, name, ErrNotRole)
	}
	return nil
}

// Candidates lists the waiting tasks for one of the roles that name may do and no other agent
// has: those that name already holds first, then in the order of Waiting. barred is an ErrBarred if
// a further task waits which name may not take, or leaves to another so that the run can end.
func Candidates(ctx context.Context, cur workspace.Session, name string, roles []string) (all []Task, barred, err error) {
	waiting, _, err := Waiting(ctx, cur)
	if err != nil {
		return nil, nil, err
	}
	now, by := cur.Now(), hand(cur.Workspace, name)
	var free []Task
	for _, t := range waiting {
		own, held := t.State.Claimant == name, t.State.Held(now)
		if !slices.Contains(roles, t.State.Role) || held && !own || MayDo(cur, t, name, now) != nil || ends(ctx, cur.Workspace, t) {
			continue
		}
		if err := t.checkHand(t.Run, by); err != nil {
			barred = cmp.Or(barred, err)
			continue
		}
		switch why := spared(cur.Policies.Roles, t, name, now); {
		case held:
			all = append(all, t)
		case why != "":
			barred = cmp.Or(barred, fmt.Errorf("%s: %w", why, ErrBarred))
		default:
			free = append(free, t)
		}
	}
	return append(all, free...), barred, nil
}

// ends reports whether the next pass ends the run of a task because of its proposal.
func ends(ctx context.Context, w *workspace.Workspace, t Task) bool {
	pull, err := PullOf(ctx, w, t.Run)
	return err == nil && pull.ID != "" && endReason(Definition{Workflow: t.Flow, Found: true}, t.Run, pull) != ""
}

// Next claims the first of the Candidates for name until its lease ends, which extends the lease of
// one that name holds. found is false if nothing waits; then ErrBarred says that a task waits which
// name may not take. With dry, nothing is claimed.
func Next(ctx context.Context, cur workspace.Session, name string, roles []string, dry bool) (t Task, found bool, err error) {
	all, barred, err := Candidates(ctx, cur, name, roles)
	if err != nil {
		return Task{}, false, err
	}
	for _, t := range all {
		if dry {
			return t, true, nil
		}
		if !t.State.Held(cur.Now()) || killed(cur.Workspace, t.Lock()) {
			t.State.Token = "" // its worker is gone; one that lives goes on, here or elsewhere
		}
		claimed, err := Claim(ctx, cur.Workspace, t, name)
		if Gone(err) {
			continue
		}
		return claimed, err == nil, err
	}
	return Task{}, false, barred
}

// hand names the caller, with its session if it is known.
func hand(w *workspace.Workspace, name string) run.Hand {
	h := run.Hand{By: name}
	if w.Client != "" {
		sum := sha256.Sum256([]byte("session\x00" + w.Client))
		h.Session = hex.EncodeToString(sum[:8])
	}
	return h
}

// checkHand returns ErrBarred if the caller took a task that the job's not-by names. It is decided
// with each claim, on the journal that the claim is appended to, and a delivery claims first.
//
//defence:testers-are-not-builders
func (t Task) checkHand(s run.State, by run.Hand) error {
	job, as := s.Barred(t.Job, by)
	switch {
	case job == "":
		return nil
	case as == by.By:
		return fmt.Errorf("%s took %s/%s, and the workflow wants another agent for %s: %w", as, s.ID, job, t.Job.Name, ErrBarred)
	}
	return fmt.Errorf("this session took %s/%s as %s, and the workflow wants another agent for %s: %w", s.ID, job, as, t.Job.Name, ErrBarred)
}

// Claim gives a task to name until its lease ends. Of concurrent callers, one gets it. t.State.Token names the worker
// whose command does the task; it is empty for others. A caller whose ctx has ended gets none, because it would hold the task and not do it.
func Claim(ctx context.Context, w *workspace.Workspace, t Task, name string) (Task, error) {
	if err := ctx.Err(); err != nil {
		return t, err
	}
	by := hand(w, name)
	s, err := w.Runs.Append(ctx, t.Run.ID, name, w.Now(), func(s run.State) (*run.Record, error) {
		if err := cmp.Or(t.checkFree(s, name, w.Now()), t.checkHand(s, by)); err != nil {
			return nil, err
		}
		return &run.Record{
			V: run.Version, Kind: run.Claimed, Job: t.Job.Name, Attempt: s.Jobs[t.Job.Name].Attempt, Session: by.Session,
			Until: w.Now().Add(t.Job.Lease).UTC(), Token: t.State.Token,
		}, nil
	})
	t.Run, t.State = s, s.Jobs[t.Job.Name]
	return t, err
}

// checkFree returns the reason why name cannot take the task in state s, or nil.
func (t Task) checkFree(s run.State, name string, now time.Time) error {
	j := s.Jobs[t.Job.Name]
	switch {
	case s.Outcome != "":
		return fmt.Errorf("%s: the run %s: %w", t.Name(), s.Outcome.Phrase(), ErrOver)
	case j.Status != run.Waiting:
		return fmt.Errorf("%s is %s: %w", t.Name(), cmp.Or(string(j.Status), "not asked for yet"), ErrOver)
	case j.Held(now) && j.Claimant != name:
		return fmt.Errorf("%s has %s until %s: %w", j.Claimant, t.Name(), j.Until.UTC().Format(time.RFC3339), ErrTaken)
	}
	return nil
}
