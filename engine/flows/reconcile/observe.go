package reconcile

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/followup"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

// inboxRefs is the prefix of pushed inbox branches.
const inboxRefs = "refs/heads/inbox/"

// observe collects everything that a decision needs. The workflows are those in force. It
// ignores findings about their files.
func observe(ctx context.Context, cur workspace.Session) (Observation, error) {
	o := Observation{Now: cur.Now(), Main: cur.Main, InForce: cur.InForce, runner: workspace.RunnerKey(cur)}
	var err error
	if o.Workflows, _, err = workflow.Load(cur.View, workspace.Schedule); err != nil {
		return o, fmt.Errorf("read the workflows: %w", err)
	}
	if o.Inbox, err = inbox(cur.Workspace); err != nil {
		return o, err
	}
	o.Queues = cur.Forge.Traits().Queues
	pulls, err := cur.Forge.List(ctx, forge.Filter{State: forge.Open})
	if o.Damaged, err = forge.Damages(err); err != nil {
		return o, err
	}
	for _, p := range pulls {
		seen, err := observePull(ctx, cur, p.ID)
		damaged, err := forge.Damages(err)
		if err != nil {
			return o, err
		}
		if len(damaged) > 0 { // doctor says how to repair them
			o.Damaged = append(o.Damaged, damaged...)
			continue
		}
		o.Pulls = append(o.Pulls, seen)
	}
	order.Sort(o.Pulls, func(a, b Pull) int { return strings.Compare(a.ID, b.ID) })
	if o.Questions, err = followup.Due(ctx, cur); err != nil {
		return o, err
	}
	return o, o.observeRuns(ctx, cur)
}

// Offered is a branch in the inbox that no pass has made a proposal yet.
type Offered struct {
	Branch string    `json:"branch"`
	Commit tree.Hash `json:"commit"`
	// Subject is the first line of its commit, as its author wrote it.
	Subject string `json:"subject"`
}

// ListInbox returns the branches in the inbox that are here and wait for a pass.
func ListInbox(ctx context.Context, w *workspace.Workspace) ([]Offered, error) {
	all, err := inbox(w)
	if err != nil {
		return nil, err
	}
	out := []Offered{}
	for _, b := range all {
		if _, err := w.Record.Get(ctx, IDOf(b)); err == nil { // another clone has to take the branch away
			continue
		} else if !errors.Is(err, forge.ErrNotFound) {
			if _, err := forge.Damages(err); err != nil {
				return nil, err
			}
		}
		subject := "" // of a commit that cannot be read; the pass says why
		if c, err := w.Repo.Commit(b.Commit); err == nil {
			subject = c.Subject()
		}
		out = append(out, Offered{b.Name, b.Commit, subject})
	}
	return out, nil
}

func inbox(w *workspace.Workspace) ([]Branch, error) {
	refs, err := w.Repo.Refs(inboxRefs)
	if _, err = gitstore.BrokenRefs(err); err != nil { // doctor names broken ones
		return nil, fmt.Errorf("list the inbox: %w", err)
	}
	var out []Branch
	for _, r := range refs {
		if r.Symbolic == "" {
			out = append(out, Branch{Name: strings.TrimPrefix(r.Name, "refs/heads/"), Commit: r.Hash})
		}
	}
	return out, nil
}

// observePull observes one open proposal.
func observePull(ctx context.Context, cur workspace.Session, id string) (Pull, error) {
	ex, err := cur.Examine(ctx, id)
	if err != nil {
		return Pull{}, err
	}
	c := ex.Case
	p := Pull{ID: id, Head: c.Pull.Head, There: c.Pull.There, Pushed: pushed(c.Activity.Pushes), Conflicted: c.Conflicted, Opened: len(c.Activity.Statuses) == 0}
	p.Made = made(c.Activity.Pushes, id)
	p.Reported = reported(c.Activity.Statuses, p.Head, cur.Main)
	p.State = gate.State(c, ex.Verdict)
	if page := propose.Page(ex); page != "" {
		p.Page = tree.BlobHash([]byte(page))
	}
	// A merge runs the required tests itself, so a proposal that lacks only tests counts as
	// approved.
	p.Approved = p.State == proposal.Approved || p.State == proposal.Waiting && ex.Verdict.OnlyTests()
	facts := c.Facts()
	for _, check := range c.Policies.Approvals.Checks {
		p.Required = append(p.Required, check.Workflow)
	}
	p.Checks = due(cur, c, facts)
	at := facts.RequestedAt
	p.Expired = !at.IsZero() && cur.Policies.Limits.Expiry > 0 && cur.Now().Sub(at) > cur.Policies.Limits.Expiry
	return p, nil
}

// made reports whether a run may have made a proposal: its opening names the run with its ID, or does not say how it was made.
func made(all []forge.Push, id string) bool {
	if len(all) == 0 {
		return true
	}
	rec, err := provenance.Decode(all[0].Provenance)
	return err != nil || rec.Origin.Way == provenance.Task && strings.HasPrefix(rec.Origin.Source, id+"/")
}

// due returns the required checks that lack a result of this merge result, if the key of a runner is here
// whose results count: that of one who took part in the proposal gives none, however often it runs. A run that goes on is no reason to wait for it: its journal may be anyone's.
func due(cur workspace.Session, c gate.Case, facts policy.Facts) (lacking []policy.CheckStatus) {
	if c.Conflicted || len(c.Policies.Approvals.Checks) == 0 {
		return nil
	}
	key := workspace.RunnerKey(cur)
	if key == nil || policy.Discounts(c.Policies, facts)(policy.JobResult{By: review.FingerprintOf(key.PublicKey()), Passed: true}) != "" {
		return nil
	}
	for name, run := range facts.Checks {
		run.Running = ""
		facts.Checks[name] = run
	}
	for _, s := range policy.Checks(c.Policies, facts) {
		if (s.State == policy.CheckMissing || s.State == policy.CheckExpired) && facts.Checks[s.Name].Unfit == "" {
			lacking = append(lacking, s)
		}
	}
	return lacking
}

// reported looks for the status that counts: the last one of this head.
func reported(all []forge.Status, head, main tree.Hash) bool {
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Head == head {
			return all[i].Base == main
		}
	}
	return false
}
