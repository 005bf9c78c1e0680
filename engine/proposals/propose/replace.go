package propose

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/gate"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
)

// intent is the request of an open proposal, read back from its branch.
type intent struct {
	pull     forge.Pull
	proposal proposal.Proposal
	edits    []tree.Edit // without the proposal's file and without engine-owned regions
	engine   []string    // files that differ only in engine-owned regions
	file     string      // the proposal's own file
	began    tree.View   // the merge base
	head     tree.View
	author   gitstore.Person
}

func (have intent) same(now tree.View, e tree.Edit) bool {
	there, err := now.Read(e.Path)
	return err == nil && !e.Remove && string(there) == string(e.Content)
}

func changedSince(began, now tree.View, path string) (bool, error) {
	changes, err := tree.Diff(began, now, path)
	return len(changes) > 0, err
}

// replace builds a request from an open proposal's intent and moves its branch.
func replace(ctx context.Context, w *workspace.Workspace, id string, by Request,
	next func(workspace.Session, intent) (Request, diag.List, error),
) (Outcome, error) {
	cur, err := w.Session(ctx)
	if err != nil {
		return Outcome{}, err
	}
	took := false
	if !by.DryRun {
		if took, err = own(ctx, cur, id, by.By); err != nil {
			return Outcome{}, err
		}
	}
	have, err := intentOf(ctx, cur, id)
	if err != nil {
		return Outcome{}, err
	}
	r, diags, err := next(cur, have)
	if err != nil || diags.HasErrors() {
		return Outcome{Diagnostics: diags, Pull: have.pull}, err
	}
	r.Proposal.ID, r.file = have.pull.ID, have.file
	b, more, err := build(cur, r)
	diags.Add(more...)
	if err != nil || diags.HasErrors() {
		return Outcome{Diagnostics: diags, Pull: have.pull}, err
	}
	head, listed, never, err := b.finish(ctx, cur, by, r)
	if err != nil || never != nil {
		return Outcome{Diagnostics: never, Pull: have.pull}, err
	}
	diags.Add(listed.notes...)
	came, err := recorded(cur, by)
	if err != nil {
		return Outcome{}, err
	}
	if by.DryRun {
		out, err := preview(ctx, cur, b, head, r, diags, came)
		out.Known, out.Listed = true, listed
		return out, err
	}
	out, err := have.move(ctx, cur, b, head, by, diags, came)
	if took && errors.Is(err, ErrNothing) { // the commits on the branch were all there was to do
		out.Pull = have.pull
		out.Examined, err = Report(ctx, cur, id)
	}
	return out, err
}

// move pushes the new commits. If they have the same effect as the old ones, the engine merely
// applied them again: that adds no author and voids no review.
func (have intent) move(ctx context.Context, cur workspace.Session, b built, head tree.Hash, by Request, diags diag.List, came []byte) (Outcome, error) {
	pull := have.pull
	same, err := sameTree(cur.Workspace, pull.Head, head)
	if err != nil {
		return Outcome{}, err
	}
	if same {
		base, err := cur.Repo.IsAncestor(cur.InForce, pull.Head)
		if err != nil {
			return Outcome{}, err
		}
		if base {
			return Outcome{}, ErrNothing
		}
	}
	moved := forge.Push{By: by.By, Old: pull.Head, New: b.commit, At: cur.Now(), Provenance: came}
	if moved.Engine, err = have.sameEffect(cur, head); err != nil {
		return Outcome{}, err
	}
	if moved.Engine {
		moved.Note = "applied again to the commit in force; the change is the same"
	}
	if pull, err = push(ctx, cur.Workspace, pull.ID, moved); err != nil {
		return Outcome{}, err
	}
	if head != b.commit {
		if pull, err = pushEngine(ctx, cur.Workspace, pull, head); err != nil {
			return Outcome{}, err
		}
	}
	out := Outcome{Diagnostics: diags, Opened: true, Pull: pull}
	out.Examined, err = Report(ctx, cur, pull.ID)
	return out, err
}

func sameTree(w *workspace.Workspace, a, b tree.Hash) (bool, error) {
	ca, err := w.Repo.Commit(a)
	if err != nil {
		return false, err
	}
	cb, err := w.Repo.Commit(b)
	return ca.Tree == cb.Tree, err
}

// sameEffect reports whether a new head changes the state in force as the old one changed its
// base.
func (have intent) sameEffect(cur workspace.Session, head tree.Hash) (bool, error) {
	now, err := cur.See(head)
	if err != nil {
		return false, err
	}
	before, err := gate.EffectOf(have.began, have.head, cur.Now())
	if err != nil {
		return false, err
	}
	after, err := gate.EffectOf(cur.View, now, cur.Now())
	return before.Settled == after.Settled, err
}

// intentOf reads an open proposal back.
func intentOf(ctx context.Context, cur workspace.Session, id string) (intent, error) {
	var have intent
	var err error
	if have.pull, err = cur.Forge.Get(ctx, id); err != nil {
		return have, err
	}
	switch have.pull.State {
	case forge.Merged:
		return have, fmt.Errorf("%s: %w; propose again, or `assent undo %s`", id, forge.ErrMerged, names.ShellWord(id))
	case forge.Closed:
		return have, fmt.Errorf("%s was %s: %w; `assent reopen %s` first", id, have.pull.Why, forge.ErrClosed, names.ShellWord(id))
	}
	base, err := cur.Repo.MergeBase(cur.Main, have.pull.Head)
	if err != nil {
		return have, err
	}
	began, err := cur.Repo.Snapshot(base)
	if err != nil {
		return have, err
	}
	head, err := cur.Repo.Snapshot(have.pull.Head)
	if err != nil {
		return have, err
	}
	have.began, have.head = began, head
	if err := have.readAuthor(cur.Workspace, base); err != nil {
		return have, err
	}
	return have, have.readEdits(began, head)
}

func (have *intent) readEdits(began, head tree.View) error {
	changes, err := tree.Diff(began, head)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if names.Area(c.Path) == names.ProposalsArea && strings.HasSuffix(c.Path, "/"+have.pull.ID+".md") && !c.Removed() {
			src, err := head.Read(c.Path)
			if err != nil {
				return err
			}
			have.proposal, _ = proposal.Parse(c.Path, src)
			have.file = c.Path
			continue
		}
		e, err := editOf(c, began, head)
		if err != nil {
			return err
		}
		if e != nil {
			have.edits = append(have.edits, *e)
		} else {
			have.engine = append(have.engine, c.Path)
		}
	}
	return nil
}
