package local

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
)

// Open implements forge.Forge. Creating the journal claims the id: of two processes that open
// the same one, exactly one wins. An interruption between journal and branch leaves an open
// pull request without branch; every other method accepts that, and opening again repairs it.
func (f *Forge) Open(ctx context.Context, req forge.Opening) (forge.Pull, error) {
	if err := req.Check(); err != nil {
		return forge.Pull{}, wrap("open", req.ID, err)
	}
	_, err := Shelf().AppendWith(f.repo, req.ID, func(history []journal.Event) (*journal.Event, journal.Moves, error) {
		if len(history) > 0 {
			return nil, journal.Moves{}, f.repeated(req, history)
		}
		branch, err := f.bring(req.Branch, req.Head)
		if err != nil {
			return nil, journal.Moves{}, err
		}
		kept := files(provenanceFile, req.Provenance)
		if err := keepBehind(&kept, req.Behind); err != nil {
			return nil, journal.Moves{}, err
		}
		ev, err := withActor(journal.Event{
			Kind: evOpened, At: req.At, Note: req.Body, Anchors: []tree.Hash{req.Head},
			Fields: fields("Title", forge.CleanTitle(req.Title), "Branch", req.Branch, "Base", req.Base, "Head", req.Head.String()),
			Files:  kept,
		}, req.Author, forge.Open)
		return ev, journal.Moves{After: branch}, err
	})
	if err != nil {
		return forge.Pull{}, wrap("open", req.ID, f.blame(req.ID, err))
	}
	return f.Get(ctx, req.ID)
}

// repeated answers a repeated opening: the same head is accepted, and a missing branch is
// restored.
func (f *Forge) repeated(req forge.Opening, history []journal.Event) error {
	now, err := f.observe(req.ID, history)
	if err != nil {
		return err
	}
	if now.activity.Pushes[0].New != req.Head {
		return fmt.Errorf("%s: %w", req.ID, forge.ErrExists)
	}
	if now.pull.State != forge.Open || !now.branch.IsZero() {
		return nil
	}
	branch, err := f.bring(now.pull.Branch, now.recorded)
	if err != nil || len(branch) == 0 {
		return err
	}
	err = f.repo.Update(branch...)
	if s := new(gitstore.ErrStale); errors.As(err, &s) {
		return nil // another process restored it at this moment
	}
	return err
}

// bring returns the move that puts a branch at head; none if it is there already, ErrStale if
// it is elsewhere.
func (r record) bring(branch string, head tree.Hash) ([]gitstore.RefUpdate, error) {
	at, err := r.tip(branch)
	switch {
	case err != nil:
		return nil, err
	case at == head:
		return nil, nil
	case !at.IsZero():
		return nil, &forge.ErrStale{Ref: branchRef(branch), Want: head, Got: at}
	}
	return []gitstore.RefUpdate{{Name: branchRef(branch), New: head, Reflog: "assent: open"}}, nil
}

// Close implements forge.Forge. The branch is removed; its commits stay reachable
// from the journal.
func (f *Forge) Close(_ context.Context, id string, c forge.Closing) error {
	return f.request("close", id, c.At, c.Check(), func(now observed) (decision, error) {
		if now.pull.State == forge.Closed && now.pull.Why == c.Why {
			return decision{}, f.repo.Update(f.drop(now)...)
		}
		if err := mustBeOpen(now.pull); err != nil {
			return decision{}, err
		}
		ev, err := withActor(journal.Event{Kind: evClosed, At: c.At, Note: c.Note, Fields: fields("Why", c.Why)}, c.By, forge.Closed)
		return decision{ev, journal.Moves{After: f.drop(now)}}, err
	})
}

// drop returns the move that removes a branch. A branch that differs from the journal stays,
// and so does a branch that is checked out: without it the checkout has no history.
func (r record) drop(now observed) []gitstore.RefUpdate {
	if now.branch.IsZero() || now.branch != now.recorded {
		return nil
	}
	trees, err := r.repo.Worktrees()
	if err != nil || slices.ContainsFunc(trees, func(t gitstore.Worktree) bool { return t.Head.Branch == branchRef(now.pull.Branch) }) {
		return nil
	}
	return []gitstore.RefUpdate{{Name: branchRef(now.pull.Branch), Old: now.branch}}
}

// Reopen implements forge.Forge.
func (f *Forge) Reopen(ctx context.Context, id string, by forge.Actor, at time.Time) (forge.Pull, error) {
	err := f.change(id, at, func(now observed) (decision, error) {
		if now.pull.State == forge.Merged {
			return decision{}, fmt.Errorf("%s: %w", id, forge.ErrMerged)
		}
		branch, err := f.bring(now.pull.Branch, now.recorded)
		if err != nil {
			return decision{}, err
		}
		if now.pull.State == forge.Open {
			return decision{}, f.repo.Update(branch...)
		}
		ev, err := withActor(journal.Event{Kind: evReopened, At: at, Anchors: []tree.Hash{now.recorded}}, by, forge.Open)
		return decision{ev, journal.Moves{After: branch}}, err
	})
	if err != nil {
		return forge.Pull{}, wrap("reopen", id, err)
	}
	return f.Get(ctx, id)
}
