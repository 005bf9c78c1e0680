package workspace

import (
	"context"
	"errors"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// judges are the decisions of a workspace about main, with another judge of merges, for one observation.
func judges(w *Workspace, merge attest.Judge) attest.Judges {
	w.policies.observing()
	return attest.Judges{Merge: merge, Sides: sides{w}.judge}
}

// sides judges the commits that a merge reaches by other parents than the first.
type sides struct{ *Workspace }

// judge judges a merge commit on main, see attest.Observe.
func (w sides) judge(ctx context.Context, after attest.Standing, c gitstore.Commit) error {
	err := w.bypasses(ctx, after, after.InForce, c.Parents[0], c.Parents[1:]...)
	var refused *attest.Refusal
	if !errors.As(err, &refused) || refused.Bypassed.IsZero() {
		return err
	}
	//defence:re-anchors-are-not-put-back
	if refused.Proposal == "" {
		return refused
	}
	for _, side := range c.Parents[1:] {
		way, err := w.wayBack(ctx, after, c, side, refused.Bypassed)
		if err != nil {
			return err
		}
		if way != "" {
			refused.Restore = way
			break
		}
	}
	return refused
}

// wayBack returns the command that puts a bypassed commit back on main's line, if the line of a
// side has it: a commit with the side as first parent and the present main as second. Git takes it
// for a fast-forward. Readers judge it like any other, so it need not be trusted. It is empty if
// that commit would bypass merges of main in turn, and for a re-anchor, whose roles.yaml it would
// bring into force.
//
// It keeps main's files if main has the governed ones of the side, as after git pull joined two
// mains, and else takes those of the side.
func (w sides) wayBack(ctx context.Context, st attest.Standing, c gitstore.Commit, side, bypassed tree.Hash) (string, error) {
	on := false
	err := w.Repo.Lineage(side, func(at gitstore.Commit) (bool, error) {
		on = at.Hash == bypassed
		return !on && at.Hash != st.Genesis, ctx.Err()
	})
	var refused *attest.Refusal
	if err == nil && on {
		err = w.bypasses(ctx, st, side, side, c.Hash)
	}
	if unreadable(err) || errors.As(err, &refused) || err == nil && !on {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	top := names.ShellWord(side.String())
	if changed, err := attest.Governed(w.Repo, side, c.Hash); err == nil && len(changed) == 0 {
		top = attest.MainRef
	}
	return "if git pull joined two mains here, put the merge back on main's line: " +
		"git push origin \"$(git commit-tree " + top + "^{tree} -p " + names.ShellWord(side.String()) + " -p " + attest.MainRef + " -m 'Put main back on its line')\":refs/heads/main, then assent pull; " +
		"it needs no force, and new clones stop here until then", nil
}

// bypasses refuses a merge of tips into main if they lead to a merge that a listed key announced,
// that main lacks, and whose proposal is not in the files of kept. Without this, a commit with an
// old main as first parent and the current one as second would bring old policies back by a plain
// fast-forward. Honest branches hold such merges only if `assent pull --replay` dropped them, and
// then main has the same proposals.
func (w sides) bypasses(ctx context.Context, st attest.Standing, kept, main tree.Hash, tips ...tree.Hash) error {
	beside, err := w.Repo.Beside(main, tips...)
	if err != nil {
		return err
	}
	for _, o := range beside {
		if err := w.bypassed(ctx, st, kept, o.Hash); err != nil && !unreadable(err) {
			return err
		}
	}
	return nil
}

// bypassed refuses one commit beside main if it is such a merge, or such a re-anchor of the workspace.
func (w sides) bypassed(ctx context.Context, st attest.Standing, kept, h tree.Hash) error {
	c, err := w.Repo.Passable(h)
	if err != nil || len(c.Parents) == 0 {
		return err
	}
	there := attest.Standing{Genesis: st.Genesis, InForce: c.Parents[0]}
	if r, is, err := w.ReanchorOf(there, c); is || err != nil && !unreadable(err) {
		if err == nil {
			err = w.reanchorBypassed(st, c, r)
		}
		return err
	}
	id, err := w.History().ProposalOf(c)
	if err != nil && !unreadable(err) || id == "" {
		return err
	}
	if lacks, err := w.History().adds(kept, c.Hash, id); err != nil || !lacks {
		return err
	}
	current, err := w.At(st)
	if err != nil {
		return err
	}
	found, err := w.claims().forCommit(ctx, c.Parents[0], current.Policies.Roles, c)
	if err != nil {
		return err
	}
	then, err := w.claims().rolesBefore(c)
	if err != nil {
		return err
	}
	for _, roles := range []policy.Roles{current.Policies.Roles, then} {
		//defence:announced-merges-are-on-main
		if by := found.voucher(roles, c); by != "" {
			return bypass(c, id, by, "merge")
		}
	}
	return nil
}

// reanchorBypassed refuses a re-anchor beside main. The invariant: only one that was accepted here, or
// that a human's key signed which is listed in force, makes a break. Anybody can write any other, upon
// roles of their own, in any name. So the claimed owner of its key is never named, and its files are
// never put on main.
func (w sides) reanchorBypassed(st attest.Standing, c gitstore.Commit, r Reanchor) error {
	current, err := w.At(st)
	if err != nil {
		return err
	}
	by, roles := "", current.Policies.Roles
	if id, known := roles.ByKey(r.Key); known && roles.Has(id, policy.Human) {
		by = id.Name
	}
	accepted, err := keys.Accepted(st.Genesis.String(), c.Hash)
	if err != nil {
		return err
	}
	if accepted {
		by = "a key that was accepted here"
	}
	//defence:unaccepted-re-anchors-break-nothing
	if by == "" {
		return nil
	}
	//defence:re-anchors-are-not-bypassed
	err = bypass(c, "", by, "re-anchor")
	return err
}

// bypass is the refusal of a commit that bypasses c.
func bypass(c gitstore.Commit, id, by, what string) error {
	return &attest.Refusal{
		Break: true, Proposal: id, AnnouncedBy: by, Bypassed: c.Hash,
		Reason: "it bypasses the " + what + " " + c.Hash.Short() + " (" + c.Subject() + "), which " + by + " announced: main reaches that commit through another parent and no longer has it on its own line",
		Restore: "main was put back to an older state if " + c.Hash.Short() + " was on it. A clone whose main has that commit moves it on again: git push --force origin refs/heads/main:refs/heads/main there; " +
			"new clones stop here until then",
	}
}

// bypassing says why a proposal whose branch holds an announced merge that main lacks does not
// merge; empty if it holds none. Merged, it would be a break for every reader.
func (s Session) bypassing(ctx context.Context, ex Examined) (string, error) {
	var refused *attest.Refusal
	err := sides{s.Workspace}.bypasses(ctx, s.Standing, ex.Result.Tree, s.Main, ex.Case.Pull.Head)
	if !errors.As(err, &refused) {
		return "", err
	}
	//defence:proposals-bring-no-merges
	if !refused.Bypassed.IsZero() {
		return "its branch holds " + refused.Bypassed.Short() + ", which " + refused.AnnouncedBy + " announced as a merge and which main lacks", nil
	}
	return "", nil
}
