package task

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// merged is the result of merging a proposal's head, as a tree.
type merged struct{ head, tree tree.Hash }

// vouch signs and records the result of a script that this process ran on a merge result, if a
// required check is about its workflow and a key of a runner is here. Any pusher can write the
// journal of a run, so nothing is signed that the journal says: not the outcome of a job that ran
// elsewhere, and not a script with other inputs than the event gives it.
func (a *Advanced) vouch(ctx context.Context, cur workspace.Session, def Definition, j workflow.Job, r run.Record) error {
	signer := workspace.RunnerKey(cur)
	if signer == nil || !a.asked(cur, def) {
		return nil
	}
	// A failure that a retry may follow is no result yet. A script that was told of another outcome
	// than success of one that it needs is no evidence: the journal alone says so.
	if a.repeats(j, r) {
		return nil
	}
	for _, need := range j.Needs {
		if a.Jobs[need].Status != run.Did {
			return nil
		}
	}
	//defence:journals-repeat-no-check
	if lacks, err := a.lacks(ctx, cur, def, j); err != nil || !lacks {
		return err
	}
	nonce := make([]byte, 16)
	if _, err := io.ReadFull(cur.Random, nonce); err != nil {
		return fmt.Errorf("make a nonce: %w", err)
	}
	const most = 500
	at := cur.Now().UTC().Truncate(time.Second)
	signed, err := review.SignResult(review.Result{
		V: review.Version, Workspace: cur.ID(), Proposal: a.Proposal, Head: a.shown.head, Base: cur.InForce, Tree: a.shown.tree,
		Workflow: def.Name, Job: j.Name, Definition: def.Digest, Passed: r.Kind == run.Done, Reason: canonical.Phrase(r.Reason, most),
		Run: a.ID, At: at, Nonce: fmt.Sprintf("%x", nonce),
	}, signer)
	if err != nil {
		return err
	}
	err = cur.Forge.Prove(ctx, a.Proposal, forge.Proof{By: forge.Actor{Name: engine}, Record: signed.Record, Signature: signed.Signature, At: at})
	if err == nil || errors.Is(err, forge.ErrMerged) || errors.Is(err, forge.ErrClosed) { // nothing waits for it any more
		return nil
	}
	return fmt.Errorf("record the result of %s: %w", j.Name, err)
}

// lacks reports whether a required check lacks a result of a script on the merge result. Only a
// person at this machine has a script repeated that has one: anyone who can push can begin another
// run, until a failure becomes a success.
func (a *Advanced) lacks(ctx context.Context, cur workspace.Session, def Definition, j workflow.Job) (bool, error) {
	ex, err := cur.Examine(ctx, a.Proposal)
	if err != nil {
		return false, fmt.Errorf("look for results of %s: %w", j.Name, err)
	}
	repeats := ""
	if a.repeatedHere(cur, def) {
		repeats = a.ID
	}
	return policy.LacksResult(ex.Case.Policies, ex.Case.Facts(), def.Name, j.Name, repeats), nil
}

// repeatedHere reports whether a program of this user began the run to repeat another one.
func (a *Advanced) repeatedHere(cur workspace.Session, def Definition) bool {
	here, err := keys.LoadOpenings(cur.ID())
	if _, own := here[a.ID]; err != nil || !own || a.Of == "" {
		return false
	}
	b := Beginning{Workflow: def.Workflow, Event: a.Event, About: a.About, Inputs: a.Inputs}
	for n := range mostRepeats {
		if b.Key = repeatKey(a.Of, n); ID(b) == a.ID {
			return true
		}
	}
	return false
}

// mostRepeats bounds the repeats of one run that are recognised.
const mostRepeats = 1000

// asked reports whether a required check asks for the result of a script of this run.
func (a *Advanced) asked(cur workspace.Session, def Definition) bool {
	return a.forRunner(cur, def) && !a.shown.tree.IsZero()
}

// forRunner reports whether this run is the one that the event of a proposal begins for a required check. Engines without
// the key of a runner leave its scripts alone, also once the proposal was merged: the result that it was merged by may
// be on its way. If the workflow was replaced, no check takes the results of its former version.
func (a *Advanced) forRunner(cur workspace.Session, def Definition) bool {
	//defence:only-the-events-own-run-is-vouched-for
	if a.About != a.Proposal || !maps.Equal(a.Inputs, Defaults(def.Workflow)) || a.Event != workflow.ProposalOpened && a.Event != workflow.ProposalUpdated {
		return false
	}
	about := func(c policy.Check) bool { return c.Workflow == def.Name }
	return !def.Replaced && slices.ContainsFunc(cur.Policies.Approvals.Checks, about)
}

// Defaults returns the inputs that an event gives a run.
func Defaults(f workflow.Workflow) map[string]string {
	out := map[string]string{}
	for _, in := range f.Inputs {
		if in.Default != "" {
			out[in.Name] = in.Default
		}
	}
	return out
}
