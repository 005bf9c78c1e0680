package propose

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/proposals/simulate"
	"github.com/assent-dev/assent/engine/workspace"
)

// Outcome is the result of a request.
type Outcome struct {
	// Diagnostics stopped the request before anything was written, or accompany it. If Opened is
	// false and these have errors, nothing happened.
	Diagnostics diag.List
	Opened      bool
	// Known reports for a dry run that the proposal is on record: its id can be named.
	Known bool
	// Listed is, for a dry run, what the changed servers list: the request's Listed for another run of it.
	Listed   *Listed
	Pull     forge.Pull
	Examined workspace.Examined
}

// BranchOf is the branch of a proposal.
func BranchOf(id string) string { return forge.BranchPrefix + id }

// complete validates the built change and adds the engine's commit if it passes. A change that no
// approval could merge is refused before any of it is stored.
func (b *built) complete(ctx context.Context, cur workspace.Session) (tree.Hash, diag.List, error) {
	// The author's own commits may be older than the commit in force: judge their merge.
	result, err := cur.Result(cur.InForce, b.commit)
	if err != nil || len(result.Conflicts) > 0 {
		return b.commit, nil, err
	}
	view, err := cur.See(result.Tree)
	if err != nil {
		return b.commit, nil, err
	}
	in := cur.Input(view, cur.Now())
	in.Stopped = ctx.Err
	outcome, err := validate.Run(in)
	if err != nil {
		return b.commit, nil, err
	}
	//defence:what-is-prohibited-is-not-stored
	if why := policy.Never(cur.Policies, policy.Facts{Kind: string(b.proposal.Kind), Changes: outcome.Report.Changes}); why != "" {
		var refused diag.List
		refused.Errorf(RuleNever, diag.Pos{}, "nothing of it was stored; leave out the named part, or propose a change of the policies first", "%s", why)
		return b.commit, refused, nil
	}
	if !outcome.Report.Passed {
		return b.commit, nil, nil
	}
	b.passed = true
	head, err := b.learn(cur.Workspace, cur.View, outcome.Report)
	return head, nil, err
}

func pushEngine(ctx context.Context, w *workspace.Workspace, pull forge.Pull, head tree.Hash) (forge.Pull, error) {
	return push(ctx, w, pull.ID, forge.Push{
		By: forge.Actor{Name: "assent"}, Old: pull.Head, New: head, Engine: true,
		Note: "learned capabilities kept in step", At: w.Now(),
	})
}

// Report validates a pull request's merge result, asks for a second opinion if a reviewer is
// configured, and records the report.
func Report(ctx context.Context, cur workspace.Session, id string) (workspace.Examined, error) {
	ex, err := cur.Examine(ctx, id)
	if err != nil || ex.Case.Pull.State != forge.Open || ex.Case.Conflicted {
		return ex, err
	}
	if ex, err = unasked(ctx, cur, ex); err != nil {
		return ex, err
	}
	status, err := StatusOf(cur, ex)
	if err != nil {
		return ex, err
	}
	if err := cur.Forge.Status(ctx, id, status); err != nil {
		return ex, err
	}
	if err := simulate.Remark(ctx, cur, ex); err != nil {
		return ex, err
	}
	return again(ctx, cur, ex)
}

// again returns an examination after a new record about the same commits: the report is unchanged,
// only the verdict can differ.
func again(ctx context.Context, cur workspace.Session, ex workspace.Examined) (workspace.Examined, error) {
	before := ex.Case.Pull
	pull, err := cur.Forge.Get(ctx, before.ID)
	if err != nil {
		return ex, err
	}
	if pull.Head != before.Head || pull.State != before.State { // another process changed it
		return cur.Examine(ctx, before.ID)
	}
	if ex.Case.Activity, err = cur.Forge.Activity(ctx, before.ID); err != nil {
		return ex, err
	}
	ex.Case.Pull = pull
	ex.Verdict, ex.Risk = gate.Judge(ex.Case)
	return ex, nil
}

// StatusOf is the report of an examined pull request as a forge records it.
func StatusOf(cur workspace.Session, ex workspace.Examined) (forge.Status, error) {
	data, err := ex.Report.Canonical()
	if err != nil {
		return forge.Status{}, err
	}
	return forge.Status{
		Head: ex.Case.Pull.Head, Base: cur.Main, Passed: ex.Report.Passed, Summary: ex.Report.Summary(),
		Digest: canonical.Digest(data), Report: data, At: cur.Now(), Display: display(ex),
	}, nil
}

// preview returns the answer that Open would give.
func preview(ctx context.Context, cur workspace.Session, b built, head tree.Hash, r Request, diags diag.List, came []byte) (Outcome, error) {
	pull := forge.Pull{
		ID: b.proposal.ID, Title: b.proposal.Goal, Body: b.proposal.Body, Branch: BranchOf(b.proposal.ID), Base: forge.Main,
		Head: head, Author: r.By, State: forge.Open, Opened: cur.Now(), Updated: cur.Now(),
	}
	activity := forge.Activity{Pushes: []forge.Push{{By: r.By, New: b.commit, At: cur.Now(), Provenance: came}}}
	if head != b.commit {
		activity.Pushes = append(activity.Pushes, forge.Push{By: forge.Actor{Name: "assent"}, Old: b.commit, New: head, Engine: true, At: cur.Now()})
	}
	ex, err := cur.Preview(ctx, pull, activity)
	return Outcome{Diagnostics: diags, Pull: pull, Examined: ex}, err
}

// damaged is the state of a pull request whose record cannot be read, in an Ambiguous.
const damaged forge.State = "damaged"

// Resolve finds the pull request for an argument: an id, a unique prefix of one, a branch, or a
// URL that ends in one. A prefix of several is an *Ambiguous. Merged ones alone step back behind an
// open one: anyone who can push ends the others, or damages their records, without a signature, and
// opens another under the same prefix.
func Resolve(ctx context.Context, w *workspace.Workspace, arg string) (forge.Pull, error) {
	arg = strings.TrimSuffix(arg, "/")
	i := strings.LastIndex(arg, "/")
	arg = arg[i+1:]
	if arg == "" {
		return forge.Pull{}, fmt.Errorf("an empty name: %w", forge.ErrNotFound)
	}
	whole := names.IsRef("refs/heads/" + BranchOf(arg))
	//defence:words-are-no-whole-id
	if _, random, _ := names.ParseProposalID(arg); i < 0 && !strings.ContainsAny(random, "0123456789") {
		whole = false // its end may be a word, and the argument the beginning of another id
	}
	if whole {
		p, err := w.Record.Get(ctx, arg)
		if err == nil || !errors.Is(err, forge.ErrNotFound) {
			return p, err
		}
	}
	all, err := w.Record.List(ctx, forge.Filter{})
	broken, err := forge.Damages(err)
	if err != nil {
		return forge.Pull{}, err
	}
	var found []forge.Pull
	//defence:damaged-proposals-keep-their-prefix
	for _, d := range broken {
		all = append(all, forge.Pull{ID: d.ID, State: damaged})
	}
	for _, p := range all {
		if strings.HasPrefix(p.ID, arg) {
			found = append(found, p)
		}
	}
	//defence:closed-proposals-keep-their-prefix
	if rest := unmerged(found); len(rest) == 1 && rest[0].State == forge.Open {
		return rest[0], nil
	}
	switch len(found) {
	case 1:
		if found[0].State == damaged {
			return w.Record.Get(ctx, found[0].ID)
		}
		return found[0], nil
	case 0:
		return forge.Pull{}, fmt.Errorf("%s: %w%s; `assent status` lists them", arg, forge.ErrNotFound, fitting(all, arg))
	}
	return forge.Pull{}, &Ambiguous{arg, found}
}

// fitting names the open proposals whose goal has the words of an argument: who proposes reads the goal, and the
// id begins with the name of what is changed.
func fitting(all []forge.Pull, arg string) string {
	const most = 3
	var ids []string
	for _, p := range all {
		if p.State == forge.Open && p.Title != "" && strings.Contains(names.Suggest(p.Title), names.Suggest(arg)) {
			ids = append(ids, p.ID)
		}
	}
	if len(ids) == 0 {
		return ""
	}
	return "; such a goal has " + strings.Join(ids[:min(most, len(ids))], ", ")
}

func unmerged(ps []forge.Pull) []forge.Pull {
	return slices.DeleteFunc(slices.Clone(ps), func(p forge.Pull) bool { return p.State == forge.Merged })
}

// Ambiguous says that an argument means several proposals.
type Ambiguous struct {
	Arg   string
	Pulls []forge.Pull
}

// Error lists them with their states, the open ones first.
func (a *Ambiguous) Error() string {
	var open, ended []string
	for _, p := range a.Pulls {
		if said := p.ID + " (" + string(p.State) + ")"; p.State == forge.Open {
			open = append(open, said)
		} else {
			ended = append(ended, said)
		}
	}
	return fmt.Sprintf("%q means several proposals: %s", a.Arg, strings.Join(append(open, ended...), ", "))
}
