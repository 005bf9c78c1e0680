package exchange

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// ErrPastGate reports that the local main has a commit of its own that does not belong to
// a proposal.
var ErrPastGate = errors.New("main here has a commit that is no merge of a proposal")

// GivenUp is a merge that only this clone had.
type GivenUp struct {
	ID    string
	Merge tree.Hash
}

// GiveUp removes the merges from main that the remote lacks, oldest first, if the
// remote's main has diverged. Their proposals are open again with all decisions from
// before; the removed commits stay under refs/assent-aside/. It removes nothing if main
// has not diverged. It refuses merges that others may know (local.ErrPublished), commits
// that are not merges (ErrPastGate), and a remote whose main was rolled back
// (ErrMovedBack).
func GiveUp(ctx context.Context, w *workspace.Workspace, from string, dryRun bool) ([]GivenUp, error) {
	var partly *remote.Partly
	if err := remote.Fetch(ctx, w.Repo, from); err != nil && !errors.As(err, &partly) {
		return nil, fmt.Errorf("fetch from %s: %w", from, err)
	}
	p := pulling{w: w, forge: w.Record, dryRun: dryRun, out: Pulled{Remote: from}}
	if err := p.examineMain(ctx); !errors.Is(err, ErrDiverged) {
		return nil, err
	}
	here := p.out.Main.Old
	there, err := w.Repo.Ref(remote.Tracking(from, attest.MainRef))
	if err != nil {
		return nil, err
	}
	base, err := w.Repo.MergeBase(here, there)
	if err != nil {
		return nil, err
	}
	own, updates, err := unpublished(ctx, w, from, here, base)
	if err != nil || dryRun {
		return own, err
	}
	// The cache goes first: after an interruption it is simply rebuilt.
	if err := w.Memory().Forget(ctx); err != nil {
		return nil, err
	}
	updates = append(updates,
		gitstore.RefUpdate{Name: local.AsidePrefix + "main/" + here.Short(), New: here, Any: true},
		gitstore.RefUpdate{Name: attest.MainRef, Old: here, New: base, Reflog: "assent: give up merges that " + from + " lacks"})
	if err := w.Repo.Update(updates...); err != nil {
		return nil, err
	}
	_, err = w.Repo.RefreshWorktree(here, base)
	return own, err
}

// unpublished returns the merges from here down to base, oldest first, with the updates
// that undo them.
func unpublished(ctx context.Context, w *workspace.Workspace, from string, here, base tree.Hash) (own []GivenUp, updates []gitstore.RefUpdate, err error) {
	shelf, err := shelfThere(local.Shelf(), w.Repo, from)
	if err != nil {
		return nil, nil, err
	}
	reached := false
	err = w.Repo.FirstParents(here, func(c gitstore.Commit) (bool, error) {
		if reached = c.Hash == base; reached {
			return false, ctx.Err()
		}
		id := attest.ProposalNamed(c)
		pull, err := w.Record.Get(ctx, id)
		if errors.Is(err, forge.ErrNotFound) || err == nil && pull.Merge != c.Hash {
			return false, fmt.Errorf("%w: %s (%.60q)", ErrPastGate, c.Hash.Short(), c.Subject())
		} else if err != nil {
			return false, err
		}
		there, err := lastEvent(shelf, w.Repo, id)
		if err != nil {
			return false, err
		}
		undo, err := w.Record.Unmerge(id, c.Hash, there)
		own, updates = append(own, GivenUp{id, c.Hash}), append(updates, undo...)
		return true, err
	})
	if err == nil && !reached {
		err = fmt.Errorf("%w: %s is not on main's line", ErrPastGate, base.Short())
	}
	slices.Reverse(own)
	return own, updates, err
}
