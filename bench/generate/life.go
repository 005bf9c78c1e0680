package generate

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/proposals/approve"
	"github.com/assent-dev/assent/engine/proposals/merge"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

// life goes through the use cases with a clock of its own, a minute a step.
type life struct {
	*workspace.Workspace
	agent forge.Actor
}

func (l life) as(agent string) life {
	l.agent = forge.Actor{Name: agent, Email: agent + "@agents.invalid"}
	return l
}

func (w World) live() life {
	clock := Began()
	tick := func() time.Time {
		clock = clock.Add(time.Minute)
		return clock
	}
	return life{Workspace: workspace.Of(w.Repo, workspace.Surroundings{Now: tick, Random: rand.Reader})}.as(Agent)
}

// propose opens a proposal that adds capability i.
func (l life) propose(ctx context.Context, o Options, i int) (forge.Pull, error) {
	out, err := propose.Open(ctx, l.Workspace, propose.Request{
		Proposal: proposal.Proposal{Goal: "learn to " + Name(i)}, Edits: o.Capability(i), By: l.agent,
		Author: gitstore.Person{Name: l.agent.Name, Email: l.agent.Email, When: l.Now()},
	})
	if err == nil && (!out.Opened || !out.Examined.Report.Passed) {
		err = fmt.Errorf("capability %d is not accepted: %v %v", i, out.Diagnostics, out.Examined.Report.Diagnostics)
	}
	return out.Pull, err
}

// Propose opens a proposal that adds capability i, and returns its id.
func (w World) Propose(ctx context.Context, o Options, i int) (string, error) {
	pull, err := w.live().propose(ctx, o, i)
	return pull.ID, err
}

// Merge proposes capabilities beyond N one after the other, has each approved, and
// merges it: n commits on main that an audit judges again.
func (w World) Merge(ctx context.Context, o Options, n int) error {
	signer, err := keys.Load(w.Key, nil)
	if err != nil {
		return err
	}
	defer signer.Close()
	live := w.live()
	for i := o.N; i < o.N+n; i++ {
		l := live.as(agents[i%len(agents)])
		pull, err := l.propose(ctx, o, i)
		if err != nil {
			return err
		}
		if _, err := approve.Run(ctx, l.Workspace, approve.Decision{Proposal: pull.ID, Decision: review.Approve, Signer: signer}); err != nil {
			return fmt.Errorf("approve %s: %w", pull.ID, err)
		}
		out, err := merge.Run(ctx, l.Workspace, pull.ID, l.agent, false)
		if err == nil && !out.Merged {
			err = fmt.Errorf("refused: %s", out.Refused)
		}
		if err != nil {
			return fmt.Errorf("merge %s: %w", pull.ID, err)
		}
	}
	return nil
}
