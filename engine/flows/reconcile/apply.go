package reconcile

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/gc"
	"github.com/assent-dev/assent/engine/proposals/merge"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

// The outcomes of an action.
const (
	Proposed  = "proposed"
	Validated = "validated"
	Merged    = "merged"
	Expired   = "expired"
	Withdrawn = "withdrawn" // the engine's own proposals that are not true any more
	Left      = "left"      // an inbox branch that cannot become a proposal
	Refused   = "refused"   // the gate refused
	Failed    = "failed"    // the world did not let it happen; the next pass tries again
	Lost      = "lost"      // another process was faster; the next round sees its result
	Would     = "would"     // a dry run did nothing
	Started   = "started"
	Advanced  = "advanced"
	Ended     = "ended"   // a run, well or badly
	Waits     = "waiting" // the run waits for a person or an agent, the proposal for what its merge lacks
	Shown     = "shown"
	Checked   = "checked"  // tests were run, and health was noted
	Skipped   = "skipped"  // nothing could be run safely here, or asked
	Queued    = "queued"   // the service merges it later, and a later pass attests it
	Unqueued  = "unqueued" // the service was to merge it later, and may not
	Nothing   = ""         // nothing to do; not reported
)

// Result is the outcome of one action.
type Result struct {
	Subject string `json:"subject"`
	Action  string `json:"action"`
	Outcome string `json:"outcome"`
	Reason  string `json:"reason"`
	// Workflow is the one that called for the action, or "".
	Workflow string `json:"workflow,omitempty"`
	// Proposal is the id of the proposal made from an inbox branch.
	Proposal    string    `json:"proposal,omitempty"`
	Diagnostics diag.List `json:"diagnostics,omitempty"`
	// Lost counts the attempts of scripts that the action recorded as lost.
	Lost int `json:"-"`
	// Next is the command that publishes the merge, where this clone has a remote that lacks it.
	Next string `json:"next,omitempty"`
	// Worktree says what happened to a checkout after a merge.
	Worktree gitstore.Refresh `json:"-"`
}

// ok reports whether steps that need the action may follow.
func (r Result) ok() bool {
	return (r.Outcome != Waits || r.Action != DoMerge) && r.Outcome != Left && r.Outcome != Refused && r.Outcome != Failed && r.Outcome != Queued
}

// engineActor returns the acting identity: the engine.
func engineActor() forge.Actor { return forge.Actor{Name: "assent"} }

// apply carries out one action. It returns an error only if the environment fails; a
// refusal, a lost race and a branch that cannot become a proposal are outcomes. forgets is as for
// checkHealth, listing as for materialise.
func apply(ctx context.Context, w *workspace.Workspace, a Action, forgets bool, workers *task.Workers, listing *time.Duration) (r Result, err error) {
	r = Result{Subject: a.Subject, Action: a.Do, Workflow: a.Workflow}
	defer func() {
		if broke := recover(); broke != nil {
			r.Outcome, r.Reason, err = Refused, fmt.Sprintf("assent broke on this: report it as a fault: %v", broke), nil
		}
	}()
	switch a.Do {
	case DoInbox:
		err = materialise(ctx, w, a, listing, &r)
	case DoHealth:
		err = checkHealth(ctx, w, forgets, &r)
	case DoMerge, DoAttest:
		err = mergeOne(ctx, w, a, &r)
	case DoValidate:
		err = validateOne(ctx, w, a, &r)
	case DoExpire:
		err = expireOne(ctx, w, a, &r)
	case DoUnqueue:
		err = unqueueOne(ctx, w, a, &r)
	case DoShow:
		err = showOne(ctx, w, a, &r)
	case DoGC:
		err = collect(ctx, w, &r)
	case DoAsk:
		err = askOne(ctx, w, a, &r)
	case DoStart:
		err = startOne(ctx, w, a, &r)
	case DoAdvance:
		err = advanceOne(ctx, w, a, workers, &r)
	}
	if overtaken(err) {
		r.Outcome, r.Reason, err = Lost, err.Error(), nil
	}
	return r, err
}

// overtaken reports whether err is a lost race rather than a failure.
func overtaken(err error) bool {
	var forgeStale *forge.ErrStale
	var stale *gitstore.ErrStale
	return errors.As(err, &forgeStale) || errors.As(err, &stale) || errors.Is(err, forge.ErrClosed) || errors.Is(err, forge.ErrMerged)
}

// foresee predicts the result of apply, as far as that is possible without acting.
func foresee(ctx context.Context, w *workspace.Workspace, a Action) (Result, error) {
	r := Result{Subject: a.Subject, Action: a.Do, Outcome: Would, Workflow: a.Workflow}
	if a.Do == DoAsk {
		r.Proposal, r.Reason = a.Ask.ID(), reasonOf(a.Ask)
	}
	if a.Do != DoMerge && a.Do != DoAttest {
		return r, nil
	}
	out, err := merge.Run(ctx, w, a.Subject, engineActor(), true)
	if out.Refused != "" {
		unmerged(out, &r)
	}
	return r, err
}

func mergeOne(ctx context.Context, w *workspace.Workspace, a Action, r *Result) error {
	out, err := merge.Run(ctx, w, a.Subject, engineActor(), false)
	if err != nil {
		return err
	}
	r.Outcome, r.Reason, r.Worktree = Merged, "as "+out.Commit.Short(), out.Worktree
	if out.Queued {
		r.Outcome, r.Reason = Queued, "the service merges it when its conditions are met; a later pass attests it"
	} else if !out.Merged {
		unmerged(out, r)
	} else if !out.Made.IsZero() {
		r.Reason += ", by the service itself; attested afterwards"
	}
	return nil
}

// unmerged says why a merge was not made: the gate refuses it, or it lacks what may still come, such as the
// result of a check on the main that another merge made.
func unmerged(out merge.Outcome, r *Result) {
	r.Outcome, r.Reason = Refused, out.Refused
	if v := out.Examined.Verdict; r.Action == DoMerge && v.Outcome == policy.Waiting { // what a service merged waits no more
		r.Outcome, r.Reason = Waits, strings.TrimPrefix(out.Refused, v.Outcome.String()+": ")
	}
}

func unqueueOne(ctx context.Context, w *workspace.Workspace, a Action, r *Result) error {
	was, err := w.Forge.Unqueue(ctx, a.Subject)
	if was {
		r.Outcome, r.Reason = Unqueued, "the service was to merge it, and the gate does not allow it (any more)"
	}
	return err
}

func validateOne(ctx context.Context, w *workspace.Workspace, a Action, r *Result) error {
	cur, err := w.Session(ctx)
	if err != nil {
		return err
	}
	ex, err := propose.Settle(ctx, cur, a.Subject)
	if err != nil {
		return err
	}
	r.Outcome, r.Reason = Validated, ex.Report.Summary()
	return nil
}

// collect proposes to archive capabilities that nothing needs. assent gc lists the ones
// that stay.
func collect(ctx context.Context, w *workspace.Workspace, r *Result) error {
	found, err := gc.Run(ctx, w, false)
	proposed, withdrawn := gc.Summary(found)
	switch {
	case proposed != "" && withdrawn != "":
		r.Outcome, r.Reason = Proposed, proposed+"; withdrew "+withdrawn
	case proposed != "":
		r.Outcome, r.Reason = Proposed, proposed
	case withdrawn != "":
		r.Outcome, r.Reason = Withdrawn, withdrawn
	}
	return err
}

func showOne(ctx context.Context, w *workspace.Workspace, a Action, r *Result) error {
	cur, err := w.Session(ctx)
	if err != nil {
		return err
	}
	ex, err := cur.Examine(ctx, a.Subject)
	if err != nil {
		return err
	}
	r.Outcome, r.Reason = Shown, "its page was out of date"
	return propose.Refresh(ctx, w, ex)
}

func expireOne(ctx context.Context, w *workspace.Workspace, a Action, r *Result) error {
	cur, err := w.Session(ctx)
	if err != nil {
		return err
	}
	if _, err := propose.Expire(ctx, cur, a.Subject); err != nil {
		return err
	}
	r.Outcome, r.Reason = Expired, "no decision in time; assent reopen "+names.ShellWord(a.Subject)+" asks again"
	return nil
}
