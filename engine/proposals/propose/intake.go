package propose

import (
	"context"
	"fmt"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/workspace"
)

// Intake opens proposals one after another. What is in force and which proposals
// are open is observed once, so that opening the three-hundredth takes no longer
// than opening the first. It is for one goroutine.
type Intake struct {
	w    *workspace.Workspace
	cur  workspace.Current
	open []forge.Pull
	// brought is what open proposals do, by their heads.
	brought map[tree.Hash]brings
}

// Begin observes the workspace.
func Begin(ctx context.Context, w *workspace.Workspace) (*Intake, error) {
	cur, err := w.Current(ctx)
	if err != nil {
		return nil, err
	}
	open, err := w.Record.List(ctx, forge.Filter{State: forge.Open})
	if _, err = forge.Damages(err); err != nil {
		return nil, err
	}
	return &Intake{w: w, cur: cur, open: open, brought: map[tree.Hash]brings{}}, nil
}

// Current is what the proposals are based on.
func (in *Intake) Current() workspace.Current { return in.cur }

// Pulls are the open proposals, those that were opened here included.
func (in *Intake) Pulls() []forge.Pull { return in.open }

// Open makes a proposal of a request; see the function of this name.
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
	w, cur := in.w, in.cur
	if full := AtLimit(cur, in.open, r.By); full != nil {
		return Outcome{Diagnostics: full}, nil
	}
	b, diags, err := build(w, cur, r)
	if err != nil || diags.HasErrors() {
		return Outcome{Diagnostics: diags}, err
	}
	same, err := in.again(b)
	if err != nil || same.HasErrors() {
		return Outcome{Diagnostics: same}, err
	}
	diags.Add(rivals(in.open, b)...)
	diags.Add(same...)
	head, never, err := b.complete(w, cur)
	if err != nil || never != nil {
		return Outcome{Diagnostics: never}, err
	}
	came, err := recorded(w, cur, r)
	if err != nil {
		return Outcome{}, err
	}
	if r.DryRun {
		return preview(ctx, w, cur, b, head, r, diags, came)
	}
	pull, err := w.Forge.Open(ctx, forge.Opening{
		ID: b.proposal.ID, Title: b.proposal.Goal, Body: forge.CutText(b.proposal.Body, "the rest is in "+b.file), Branch: BranchOf(b.proposal.ID),
		Base: forge.Main, Head: b.commit, Author: r.By, Behind: r.Behind, At: w.Now(), Provenance: came,
	})
	if err != nil {
		return Outcome{}, err
	}
	in.open = append(in.open, pull)
	if head != b.commit {
		if pull, err = pushEngine(ctx, w, pull, head); err != nil {
			return Outcome{}, err
		}
	}
	out := Outcome{Diagnostics: diags, Opened: true, Pull: pull}
	out.Examined, err = Report(ctx, w, cur, pull.ID)
	return out, err
}

// AtLimit stops an agent that has as many open proposals as the policies allow. A
// human is not stopped: the limit is there for agents in a loop, and a claimed
// identity wins nothing by it but more work for reviewers.
//
//defence:open-proposals-are-limited
func AtLimit(cur workspace.Current, open []forge.Pull, by forge.Actor) diag.List {
	limit := cur.Policies.Limits.OpenPerAgent
	if id, ok := cur.Policies.Roles.ByName(by.Name); limit <= 0 || ok && id.Kind == policy.KindHuman {
		return nil
	}
	have := 0
	for _, p := range open {
		if p.Author.String() == by.String() {
			have++
		}
	}
	if have < limit {
		return nil
	}
	var out diag.List
	out.Errorf(RuleOpen, diag.Pos{}, "wait for reviews, or withdraw some: assent status --agent "+by.String(),
		"%s has %d open proposals, the limit is %d", by, have, limit)
	return out
}

// tooMany is AtLimit for the proposals that are open now.
func tooMany(ctx context.Context, w *workspace.Workspace, cur workspace.Current, r Request) (diag.List, error) {
	open, err := w.Record.List(ctx, forge.Filter{State: forge.Open, Author: r.By.String()})
	if _, err = forge.Damages(err); err != nil {
		return nil, fmt.Errorf("count open proposals: %w", err)
	}
	return AtLimit(cur, open, r.By), nil
}

// rivals names open proposals that concern the same capability.
func rivals(open []forge.Pull, b built) diag.List {
	var out diag.List
	if b.proposal.Capability == "" {
		return nil
	}
	for _, p := range open {
		if head, _, ok := names.ParseProposalID(p.ID); ok && names.Fold(head) == names.Fold(b.proposal.Capability) {
			out.Notef(RuleRival, diag.Pos{}, "look at it first: assent show "+p.ID+"; the second of the two to merge will need a rebase",
				"%s, still open, concerns the same capability %s", p.ID, b.proposal.Capability)
		}
	}
	return out
}
