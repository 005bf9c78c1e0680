package task

import (
	"cmp"
	"context"
	"fmt"

	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
	"github.com/assent-dev/assent/engine/workspace/runlog"
)

// Fail records that the holder of a task cannot do it, and why. The task is offered again
// while the job has retries left.
func Fail(ctx context.Context, cur workspace.Session, t Task, name, reason string) (Task, error) {
	if err := MayDo(cur, t, name, cur.Now()); err != nil {
		return t, err
	}
	s, err := cur.Runs.Append(ctx, t.Run.ID, name, cur.Now(), func(s run.State) (*run.Record, error) {
		if err := cmp.Or(t.checkFree(s, name, cur.Now()), t.checkHand(s, hand(cur.Workspace, name))); err != nil {
			return nil, err
		}
		return &run.Record{
			V: run.Version, Kind: run.Failed, Job: t.Job.Name, Attempt: s.Jobs[t.Job.Name].Attempt,
			Reason: fmt.Sprintf("%s gave it up: %s", name, trial.Masked(reason)), Spent: t.Spent,
		}, nil
	})
	t.Run, t.State = s, s.Jobs[t.Job.Name]
	return t, err
}

// Cancel ends a run. The requester, the starter and every human may do so; for others the
// error is ErrNotRole. The run's proposal stays as it is.
func Cancel(ctx context.Context, cur workspace.Session, id, name, reason string) (run.State, error) {
	out, err := cur.Runs.Append(ctx, id, name, cur.Now(), func(s run.State) (*run.Record, error) {
		who, known := cur.Policies.Roles.ByName(name)
		switch {
		case s.Records == 0:
			return nil, runlog.ErrNone
		case s.Outcome != "":
			return nil, fmt.Errorf("the run %s: %w", s.Outcome.Phrase(), ErrEnded)
		case name != s.For && name != s.By && (!known || who.Kind != policy.KindHuman):
			by := "" // no one requested a run that an event began
			if first := cmp.Or(s.For, s.By); first != "" {
				by = fmt.Sprintf("%q, who requested or started it, or ", first)
			}
			return nil, fmt.Errorf("only %sa human may cancel it: %w", by, ErrNotRole)
		}
		return &run.Record{V: run.Version, Kind: run.Ended, Outcome: run.Cancelled, Reason: trial.Masked(reason)}, nil
	})
	if err == nil {
		stopHere(cur.Workspace, out)
	}
	return out, err
}
