package propose

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/diag"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gitstore"
	"github.com/assent-dev/assent/engine/names"
	"github.com/assent-dev/assent/engine/proposal"
	"github.com/assent-dev/assent/engine/tree"
	"github.com/assent-dev/assent/engine/workspace"
)

// ErrNothing says that an update or rebase would change nothing.
var ErrNothing = errors.New("nothing to do: the proposal is like this already")

// Update puts new content on an open proposal: the request's edits on top of what
// the proposal has, and its fields where the request sets them.
func Update(ctx context.Context, w *workspace.Workspace, id string, r Request) (Outcome, error) {
	return replace(ctx, w, id, r, func(_ workspace.Current, have intent) (Request, diag.List, error) {
		next := Request{Proposal: merged(have.proposal, r.Proposal), By: r.By, Author: r.Author, DryRun: r.DryRun}
		next.Edits = slices.Clone(r.Edits)
		for _, e := range have.edits {
			if !slices.ContainsFunc(next.Edits, func(o tree.Edit) bool { return o.Path == e.Path }) {
				next.Edits = append(next.Edits, e)
			}
		}
		if r.Proposal.Soul != nil { // the new section edit stands for the file, not the old result of one
			next.Edits = slices.DeleteFunc(next.Edits, func(e tree.Edit) bool { return e.Path == soulFile(r.Proposal.Soul.Agent) })
		}
		return next, nil, nil
	})
}

// Rebase applies a proposal's intent to what is in force now: its section edit
// anew, its files as they are. A file that main changed meanwhile, too, is not
// overwritten; it is named.
func Rebase(ctx context.Context, w *workspace.Workspace, id string, by Request) (Outcome, error) {
	return replace(ctx, w, id, by, func(cur workspace.Current, have intent) (Request, diag.List, error) {
		next := Request{Proposal: have.proposal, By: by.By, Author: have.author, DryRun: by.DryRun}
		content := ""
		if s := have.proposal.Soul; s != nil {
			content = have.proposal.SoulContent()
			next.Proposal.Soul = &proposal.SoulEdit{Agent: s.Agent, Section: s.Section, Mode: s.Mode, Content: content}
		}
		var diags diag.List
		for _, e := range have.edits {
			if content != "" && e.Path == soulFile(have.proposal.Soul.Agent) {
				continue
			}
			changed, err := changedSince(have.began, cur.View, e.Path)
			if err != nil {
				return next, nil, err
			}
			if changed && !have.same(cur.View, e) {
				diags.Errorf(RuleConflict, diag.Pos{File: e.Path}, "write the file as it shall be and run `assent update "+id+" --files DIR`",
					"main changed the file since the proposal was made, and so does the proposal")
			}
			next.Edits = append(next.Edits, e)
		}
		return next, diags, nil
	})
}

// intent is what an open proposal asks for, read back from its branch.
type intent struct {
	pull     forge.Pull
	proposal proposal.Proposal
	edits    []tree.Edit // without the proposal's file and without engine-owned regions
	began    tree.View   // the merge base
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
	next func(workspace.Current, intent) (Request, diag.List, error),
) (Outcome, error) {
	cur, err := w.Current(ctx)
	if err != nil {
		return Outcome{}, err
	}
	have, err := intentOf(ctx, w, cur, id)
	if err != nil {
		return Outcome{}, err
	}
	r, diags, err := next(cur, have)
	if err != nil || diags.HasErrors() {
		return Outcome{Diagnostics: diags, Pull: have.pull}, err
	}
	r.Proposal.ID = id
	b, more, err := build(w, cur, r)
	diags.Add(more...)
	if err != nil || diags.HasErrors() {
		return Outcome{Diagnostics: diags, Pull: have.pull}, err
	}
	head, err := b.complete(w, cur)
	if err != nil {
		return Outcome{}, err
	}
	if by.DryRun {
		return preview(w, cur, b, head, r, diags)
	}
	return move(ctx, w, cur, have.pull, b, head, by, diags)
}

func move(ctx context.Context, w *workspace.Workspace, cur workspace.Current, pull forge.Pull, b built, head tree.Hash, by Request, diags diag.List) (Outcome, error) {
	same, err := sameTree(w, pull.Head, head)
	if err != nil {
		return Outcome{}, err
	}
	if same {
		base, err := w.Repo.IsAncestor(cur.InForce, pull.Head)
		if err != nil {
			return Outcome{}, err
		}
		if base {
			return Outcome{}, ErrNothing
		}
	}
	if pull, err = w.Forge.Push(ctx, pull.ID, forge.Push{By: by.By, Old: pull.Head, New: b.commit, At: w.Now()}); err != nil {
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

func sameTree(w *workspace.Workspace, a, b tree.Hash) (bool, error) {
	ca, err := w.Repo.Commit(a)
	if err != nil {
		return false, err
	}
	cb, err := w.Repo.Commit(b)
	return ca.Tree == cb.Tree, err
}

// intentOf reads an open proposal back.
func intentOf(ctx context.Context, w *workspace.Workspace, cur workspace.Current, id string) (intent, error) {
	var have intent
	var err error
	if have.pull, err = w.Forge.Get(ctx, id); err != nil {
		return have, err
	}
	switch have.pull.State {
	case forge.Merged:
		return have, fmt.Errorf("%s: %w; propose again, or `assent undo %s`", id, forge.ErrMerged, id)
	case forge.Closed:
		return have, fmt.Errorf("%s was %s: %w; `assent reopen %s` first", id, have.pull.Why, forge.ErrClosed, id)
	}
	base, err := w.Repo.MergeBase(cur.Main, have.pull.Head)
	if err != nil {
		return have, err
	}
	began, err := w.Repo.Snapshot(base)
	if err != nil {
		return have, err
	}
	head, err := w.Repo.Snapshot(have.pull.Head)
	if err != nil {
		return have, err
	}
	have.began = began
	if err := have.readAuthor(w, base); err != nil {
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
			continue
		}
		e, err := editOf(c, began, head)
		if err != nil {
			return err
		}
		if e != nil {
			have.edits = append(have.edits, *e)
		}
	}
	return nil
}
