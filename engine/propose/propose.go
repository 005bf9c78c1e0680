package propose

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/diag"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/names"
	"github.com/assent-dev/assent/engine/tree"
	"github.com/assent-dev/assent/engine/validate"
	"github.com/assent-dev/assent/engine/workspace"
)

// Outcome is what became of a request.
type Outcome struct {
	// Diagnostics that stopped the request before anything was written, or that go
	// with it. When Opened is false and these have errors, nothing happened.
	Diagnostics diag.List
	Opened      bool
	Pull        forge.Pull
	Examined    workspace.Examined
}

// BranchOf is the branch of a proposal.
func BranchOf(id string) string { return forge.BranchPrefix + id }

// Open makes a proposal of a request: commits, branch, pull request, validation,
// and, where that passes, the engine's own entry in the learned lists. With
// DryRun everything is computed and nothing is written.
func Open(ctx context.Context, w *workspace.Workspace, r Request) (Outcome, error) {
	cur, err := w.Current(ctx)
	if err != nil {
		return Outcome{}, err
	}
	if full := tooMany(ctx, w, cur, r); full != nil {
		return Outcome{Diagnostics: full}, nil
	}
	b, diags, err := build(w, cur, r)
	if err != nil || diags.HasErrors() {
		return Outcome{Diagnostics: diags}, err
	}
	notes, err := rivals(ctx, w, b)
	if err != nil {
		return Outcome{}, err
	}
	diags.Add(notes...)
	head, err := b.complete(w, cur)
	if err != nil {
		return Outcome{}, err
	}
	if r.DryRun {
		return preview(w, cur, b, head, r, diags)
	}
	pull, err := w.Forge.Open(ctx, forge.Opening{
		ID: b.proposal.ID, Title: b.proposal.Goal, Body: forge.CutText(b.proposal.Body, "the rest is in "+b.file), Branch: BranchOf(b.proposal.ID),
		Base: "main", Head: b.commit, Author: r.By, At: w.Now(),
	})
	if err != nil {
		return Outcome{}, err
	}
	if head != b.commit {
		if pull, err = pushEngine(ctx, w, pull, head); err != nil {
			return Outcome{}, err
		}
	}
	out := Outcome{Diagnostics: diags, Opened: true, Pull: pull}
	out.Examined, err = Report(ctx, w, cur, pull.ID)
	return out, err
}

// complete validates the built change and adds the engine's commit when it passes.
func (b *built) complete(w *workspace.Workspace, cur workspace.Current) (tree.Hash, error) {
	// Somebody's own commits may have begun before what is in force now: what counts
	// is what merging them gives.
	result, err := w.Result(cur.InForce, b.commit)
	if err != nil || len(result.Conflicts) > 0 {
		return b.commit, err
	}
	view, err := w.Repo.Snapshot(result.Tree)
	if err != nil {
		return b.commit, err
	}
	outcome, err := validate.Run(w.Input(cur, view, w.Now()))
	if err != nil {
		return b.commit, err
	}
	if !outcome.Report.Passed {
		return b.commit, nil
	}
	return b.learn(w, outcome.Report)
}

func pushEngine(ctx context.Context, w *workspace.Workspace, pull forge.Pull, head tree.Hash) (forge.Pull, error) {
	return w.Forge.Push(ctx, pull.ID, forge.Push{
		By: forge.Actor{Name: "assent"}, Old: pull.Head, New: head, Engine: true,
		Note: "learned capabilities kept in step", At: w.Now(),
	})
}

// Report validates a pull request's merge result and records the report.
func Report(ctx context.Context, w *workspace.Workspace, cur workspace.Current, id string) (workspace.Examined, error) {
	ex, err := w.Examine(ctx, cur, id)
	if err != nil || ex.Case.Pull.State != forge.Open || ex.Case.Conflicted {
		return ex, err
	}
	status, err := StatusOf(w, cur, ex)
	if err != nil {
		return ex, err
	}
	if err := w.Forge.Status(ctx, id, status); err != nil {
		return ex, err
	}
	return w.Examine(ctx, cur, id)
}

// StatusOf is the report of an examined pull request as a forge records it.
func StatusOf(w *workspace.Workspace, cur workspace.Current, ex workspace.Examined) (forge.Status, error) {
	data, err := ex.Report.Canonical()
	if err != nil {
		return forge.Status{}, err
	}
	return forge.Status{
		Head: ex.Case.Pull.Head, Base: cur.Main, Passed: ex.Report.Passed, Summary: ex.Report.Summary(),
		Digest: validate.DigestOf(data), Report: data, At: w.Now(),
	}, nil
}

// preview is what Open would have answered.
func preview(w *workspace.Workspace, cur workspace.Current, b built, head tree.Hash, r Request, diags diag.List) (Outcome, error) {
	pull := forge.Pull{
		ID: b.proposal.ID, Title: b.proposal.Goal, Body: b.proposal.Body, Branch: BranchOf(b.proposal.ID), Base: "main",
		Head: head, Author: r.By, State: forge.Open, Opened: w.Now(), Updated: w.Now(),
	}
	activity := forge.Activity{Pushes: []forge.Push{{By: r.By, New: b.commit, At: w.Now()}}}
	if head != b.commit {
		activity.Pushes = append(activity.Pushes, forge.Push{By: forge.Actor{Name: "assent"}, Old: b.commit, New: head, Engine: true, At: w.Now()})
	}
	ex, err := w.Preview(cur, pull, activity)
	return Outcome{Diagnostics: diags, Pull: pull, Examined: ex}, err
}

// tooMany stops a proposer whose open proposals are at the limit.
func tooMany(ctx context.Context, w *workspace.Workspace, cur workspace.Current, r Request) diag.List {
	var out diag.List
	open, err := w.Forge.List(ctx, forge.Filter{State: forge.Open, Author: r.By.String()})
	if err != nil && !isDamage(err) {
		return nil // the listing is repeated, and its failure reported, where it decides
	}
	if max := cur.Policies.Limits.OpenPerAgent; max > 0 && len(open) >= max {
		out.Errorf(RuleOpen, diag.Pos{}, "wait for reviews, or withdraw some: assent status --agent "+r.By.String(),
			"%s has %d open proposals, the limit is %d", r.By, len(open), max)
	}
	return out
}

// rivals names open proposals that concern the same capability.
func rivals(ctx context.Context, w *workspace.Workspace, b built) (diag.List, error) {
	var out diag.List
	if b.proposal.Capability == "" {
		return nil, nil
	}
	open, err := w.Forge.List(ctx, forge.Filter{State: forge.Open})
	if err != nil && !isDamage(err) {
		return nil, err
	}
	for _, p := range open {
		if head, _, ok := names.ParseProposalID(p.ID); ok && names.Fold(head) == names.Fold(b.proposal.Capability) {
			out.Notef(RuleRival, diag.Pos{}, "look at it first: assent show "+p.ID+"; the second of the two to merge will need a rebase",
				"%s, still open, concerns the same capability %s", p.ID, b.proposal.Capability)
		}
	}
	return out, nil
}

// isDamage tells damaged records of single pull requests, which doctor reports,
// from a forge that cannot be asked.
func isDamage(err error) bool {
	var d *forge.Damaged
	return errors.As(err, &d)
}

// Resolve finds the pull request that an argument means: an id, a unique prefix
// of one, a branch, or a URL that ends in one.
func Resolve(ctx context.Context, w *workspace.Workspace, arg string) (forge.Pull, error) {
	arg = strings.TrimSuffix(arg, "/")
	if i := strings.LastIndex(arg, "/"); i >= 0 {
		arg = arg[i+1:]
	}
	if arg == "" {
		return forge.Pull{}, fmt.Errorf("an empty name: %w", forge.ErrNotFound)
	}
	if names.IsRef("refs/heads/" + BranchOf(arg)) {
		p, err := w.Forge.Get(ctx, arg)
		if err == nil || !errors.Is(err, forge.ErrNotFound) {
			return p, err
		}
	}
	all, err := w.Forge.List(ctx, forge.Filter{})
	if err != nil && !isDamage(err) {
		return forge.Pull{}, err
	}
	var found []forge.Pull
	for _, p := range all {
		if strings.HasPrefix(p.ID, arg) {
			found = append(found, p)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return forge.Pull{}, fmt.Errorf("%s: %w; `assent status` lists them", arg, forge.ErrNotFound)
	}
	return forge.Pull{}, &Ambiguous{Arg: arg, IDs: ids(found)}
}

func ids(ps []forge.Pull) []string {
	var out []string
	for _, p := range ps {
		out = append(out, p.ID)
	}
	return out
}

// Ambiguous says that an argument means several proposals.
type Ambiguous struct {
	Arg string
	IDs []string
}

// Error lists them.
func (a *Ambiguous) Error() string {
	return fmt.Sprintf("%q means several proposals: %s", a.Arg, strings.Join(a.IDs, ", "))
}
