package reconcile

import (
	"context"

	"github.com/assent-dev/assent/engine/proposals/followup"
	"github.com/assent-dev/assent/engine/workspace"
)

// askOne opens the proposal that asks whether a skill is still needed.
func askOne(ctx context.Context, w *workspace.Workspace, a Action, r *Result) error {
	done, err := followup.Ask(ctx, w, *a.Ask)
	if err != nil {
		return err
	}
	r.Proposal = done.Proposal
	switch {
	case done.Opened:
		r.Outcome, r.Reason = Proposed, reasonOf(a.Ask)
	case done.Why != "":
		r.Outcome, r.Reason = Skipped, "it cannot be asked whether it is still needed: "+done.Why
	default:
		r.Outcome, r.Reason = Lost, "another pass asked"
	}
	return nil
}

func reasonOf(q *followup.Question) string {
	return q.Repair.Name + " supersedes " + q.Target + ", which it applies to: keep, archive or revise it"
}
