package propose

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/home"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/workspace"
)

// Intake opens proposals one after another. It observes the state in force and the open proposals
// once, so that opening the three-hundredth takes no longer than the first. It is for one
// goroutine.
type Intake struct {
	cur  workspace.Session
	open []forge.Pull
	// pretended are the proposals of a dry run, see Pretend.
	pretended []forge.Pull
	// brought caches the content of open proposals, by head.
	brought map[tree.Hash]brings
}

// Begin observes the workspace.
func Begin(ctx context.Context, w *workspace.Workspace) (*Intake, error) {
	cur, err := w.Session(ctx)
	if err != nil {
		return nil, err
	}
	in := &Intake{cur: cur, brought: map[tree.Hash]brings{}}
	return in, in.list(ctx)
}

// list reads the open proposals.
func (in *Intake) list(ctx context.Context) error {
	open, err := in.cur.Record.List(ctx, forge.Filter{State: forge.Open})
	_, err = forge.Damages(err)
	in.open = open
	return err
}

// Session is the base of the proposals.
func (in *Intake) Session() workspace.Session { return in.cur }

// Pulls returns the open proposals, including those opened here.
func (in *Intake) Pulls() []forge.Pull { return in.open }

// Pretend makes a dry run refuse what would be refused beside a proposal that it would have opened.
func (in *Intake) Pretend(p forge.Pull) { in.pretended = append(in.pretended, p) }

// Full says that the proposer of a request may open no more.
func (in *Intake) Full(ctx context.Context, r Request) diag.List {
	return AtLimit(ctx, in.cur, in.open, r, len(in.pretended))
}

// Open makes a proposal of a request, see Intake.Open.
func Open(ctx context.Context, w *workspace.Workspace, r Request) (Outcome, error) {
	in, err := Begin(ctx, w)
	if err != nil {
		return Outcome{}, err
	}
	return in.Open(ctx, r)
}

// Open makes a proposal of a request: commits, branch, pull request, validation,
// and, where that passes, the engine's own entry in the learned lists. With
// DryRun everything is computed and nothing is written.
func (in *Intake) Open(ctx context.Context, r Request) (Outcome, error) {
	cur := in.cur
	if full := in.Full(ctx, r); full != nil {
		return Outcome{Diagnostics: full}, nil
	}
	b, diags, err := build(cur, r)
	if err != nil || diags.HasErrors() {
		return Outcome{Diagnostics: diags}, err
	}
	same, err := in.again(b)
	if err != nil || same.HasErrors() {
		return Outcome{Diagnostics: same}, err
	}
	first := b.commit
	head, listed, never, err := b.finish(ctx, cur, r, r)
	if err != nil || never != nil {
		return Outcome{Diagnostics: never}, err
	}
	if b.commit != first {
		if same, err = in.again(b); err != nil || same.HasErrors() {
			return Outcome{Diagnostics: same}, err
		}
	}
	diags.Add(rivals(slices.Concat(in.open, in.pretended), b)...)
	diags.Add(same...)
	diags.Add(listed.notes...)
	came, err := recorded(cur, r)
	if err != nil {
		return Outcome{}, err
	}
	if r.DryRun {
		out, err := preview(ctx, cur, b, head, r, diags, came)
		out.Listed = listed
		return out, err
	}
	pull, full, err := in.enter(ctx, r, b, came)
	if err != nil || full != nil {
		return Outcome{Diagnostics: full}, err
	}
	in.open = append(in.open, pull)
	if head != b.commit {
		if pull, err = pushEngine(ctx, cur.Workspace, pull, head); err != nil {
			return Outcome{}, err
		}
	}
	out := Outcome{Diagnostics: diags, Opened: true, Pull: pull}
	out.Examined, err = Report(ctx, cur, pull.ID)
	return out, err
}

// enter opens the pull request. Other passes of the engine may have opened proposals since Begin, so it counts again
// under a lock that only one pass holds.
func (in *Intake) enter(ctx context.Context, r Request, b built, came []byte) (pull forge.Pull, full diag.List, err error) {
	open := func() (err error) {
		if !r.Claimed {
			// If this cannot be saved, the proposal counts like those that others open in the agent's name.
			_ = keys.SaveOpening(ctx, in.cur.ID(), keys.Opening{ID: b.proposal.ID, By: r.By.String(), Head: b.commit.String()})
		}
		pull, err = in.cur.Forge.Open(ctx, forge.Opening{
			ID: b.proposal.ID, Title: b.proposal.Goal, Body: forge.CutText(b.proposal.Body, "the rest is in "+b.file), Branch: BranchOf(b.proposal.ID),
			Base: forge.Main, Head: b.commit, Author: r.By, Behind: r.Behind, At: in.cur.Now(), Provenance: came,
		})
		return err
	}
	if !r.engine {
		return pull, nil, open()
	}
	err = home.At(filepath.Join(in.cur.Repo.CommonDir(), "assent")).Locked(ctx, "opening", func() error {
		if err := in.list(ctx); err != nil {
			return err
		}
		is := func(p forge.Pull) bool { return p.ID == b.proposal.ID }
		if full = in.Full(ctx, r); full != nil && !slices.ContainsFunc(in.open, is) {
			return nil
		}
		full = nil // or the forge says that it exists
		return open()
	})
	return pull, full, err
}

// AtLimit stops an agent that has as many open proposals as the policies allow. A
// human is not stopped: the limit is there for agents in a loop, and a claimed
// identity wins nothing by it but more work for reviewers. more is how many a dry run
// would have opened.
//
//defence:open-proposals-are-limited
func AtLimit(ctx context.Context, cur workspace.Session, open []forge.Pull, r Request, more int) diag.List {
	limit := cur.Policies.Limits.OpenPerAgent
	if id, ok := cur.Policies.Roles.ByName(r.By.Name); limit <= 0 || ok && id.Kind == policy.KindHuman {
		return nil
	}
	//defence:claims-are-counted-among-all
	have := more + workspace.CountOpen(ctx, cur, open, r.By, !r.Claimed, r.Own)
	if have < limit {
		return nil
	}
	var out diag.List
	out.Errorf(RuleOpen, diag.Pos{}, "wait for reviews, or withdraw some: assent status --agent "+names.ShellWord(r.By.String())+"; if others opened them, docs/keys.md says what to do",
		"%s has %d open proposals, the limit is %d", r.By, have, limit)
	return out
}

// tooMany is AtLimit for reopening one more proposal.
func tooMany(ctx context.Context, cur workspace.Session, by forge.Actor) (diag.List, error) {
	open, err := cur.Record.List(ctx, forge.Filter{State: forge.Open, Author: by.String()})
	if _, err = forge.Damages(err); err != nil {
		return nil, fmt.Errorf("count open proposals: %w", err)
	}
	return AtLimit(ctx, cur, open, Request{By: by, Claimed: true}, 0), nil
}

// rivals names open proposals that concern the same capability.
func rivals(open []forge.Pull, b built) diag.List {
	var out diag.List
	if b.proposal.Capability == "" {
		return nil
	}
	for _, p := range open {
		if head, _, ok := names.ParseProposalID(p.ID); ok && names.Fold(head) == names.Fold(b.proposal.Capability) {
			out.Notef(RuleRival, diag.Pos{}, "look at it first: assent show "+names.ShellWord(p.ID)+"; the second of the two to merge will need a rebase",
				"%s, still open, concerns the same capability %s", p.ID, b.proposal.Capability)
		}
	}
	return out
}
