package task

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// Task is a waiting task.
type Task struct {
	Run   run.State
	Flow  workflow.Workflow
	Job   workflow.Job
	State run.Job
}

// Name is how a task is called on the command line.
func (t Task) Name() string { return t.Run.ID + "/" + t.Job.Name }

// The reasons why an agent cannot take or end a task.
var (
	ErrNoTask  = errors.New("no such task")
	ErrOver    = errors.New("the task is not waiting")
	ErrNotRole = errors.New("the task is for another role")
	ErrTaken   = errors.New("another agent has the task")
)

// Waiting lists the waiting tasks of all runs: the more urgent first, then the longest
// waiting. The second result has the errors of unreadable runs.
func Waiting(cur workspace.Session) ([]Task, []error, error) {
	all, err := Workflows(cur)
	if err != nil {
		return nil, nil, err
	}
	states, damaged, err := cur.Runs.Active()
	if err != nil {
		return nil, nil, err
	}
	var out []Task
	for _, s := range states {
		flow, there := named(all, s.Workflow)
		if !there {
			continue
		}
		for _, j := range flow.Jobs {
			if state := s.Jobs[j.Name]; state.Status == run.Waiting && j.Agent != "" {
				out = append(out, Task{s, flow, j, state})
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
func Find(cur workspace.Session, id, job string) (Task, error) {
	all, err := Workflows(cur)
	if err != nil {
		return Task{}, err
	}
	s, err := cur.Runs.Read(id)
	if err != nil {
		return Task{}, err
	}
	flow, there := named(all, s.Workflow)
	j, known := flow.Job(job)
	if !there || !known || j.Agent == "" {
		return Task{}, fmt.Errorf("%s/%s: %w", id, job, ErrNoTask)
	}
	return Task{s, flow, j, s.Jobs[job]}, nil
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

// Next finds the first task for one of the roles and claims it for name until its lease
// ends. A task that name already holds comes first, and its lease is extended. found is
// false if nothing waits. With dry, nothing is claimed.
func Next(ctx context.Context, cur workspace.Session, name string, roles []string, dry bool) (t Task, found bool, err error) {
	all, _, err := Waiting(cur)
	if err != nil {
		return Task{}, false, err
	}
	now := cur.Now()
	own := func(t Task) bool { return t.State.Held(now) && t.State.Claimant == name }
	order.Stable(all, func(a, b Task) int {
		switch {
		case own(a) == own(b):
			return 0
		case own(a):
			return -1
		}
		return 1
	})
	for _, t := range all {
		if !slices.Contains(roles, t.State.Role) || t.State.Held(now) && !own(t) || MayDo(cur, t, name, now) != nil {
			continue
		}
		if dry {
			return t, true, nil
		}
		claimed, err := Claim(ctx, cur.Workspace, t, name)
		if errors.Is(err, ErrTaken) || errors.Is(err, ErrOver) {
			continue
		}
		return claimed, err == nil, err
	}
	return Task{}, false, nil
}

// Claim gives a task to name until its lease ends. Of concurrent callers, one gets it.
func Claim(ctx context.Context, w *workspace.Workspace, t Task, name string) (Task, error) {
	s, err := w.Runs.Append(ctx, t.Run.ID, name, w.Now(), func(s run.State) (*run.Record, error) {
		if err := t.checkFree(s, name, w.Now()); err != nil {
			return nil, err
		}
		return &run.Record{
			V: run.Version, Kind: run.Claimed, Job: t.Job.Name, Attempt: s.Jobs[t.Job.Name].Attempt,
			Until: w.Now().Add(t.Job.Lease).UTC(),
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
