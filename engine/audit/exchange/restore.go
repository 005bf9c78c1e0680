package exchange

import (
	"context"
	"errors"
	"fmt"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/workspace"
)

// Restored is the result of a repair.
type Restored struct {
	// Kept is the local ref that holds the replaced journal.
	Kept string
	// Head is the journal's new tip.
	Head tree.Hash
}

// Restore replaces a journal on the side that cannot read it, or resets both sides to its
// readable part. The remote's ref moves by compare-and-swap, so a concurrent repair is
// not overwritten. The invariant: no readable event of either side is lost, and the
// replaced journal is kept. A rewritten one is not joined: its events would precede the announcement.
func Restore(ctx context.Context, w *workspace.Workspace, from string, d Damage) (Restored, error) {
	if !d.Restorable && !d.Cut {
		return Restored{}, errors.New("neither side has it whole")
	}
	if d.Restorable && d.OnThisSide {
		kept, err := w.Record.Put(d.ID, d.Here, d.There)
		return Restored{kept, d.There}, err
	}
	var out Restored
	if d.Cut && !d.Here.IsZero() {
		part, err := w.Record.ReadablePart(d.ID, d.Here)
		if err == nil {
			out.Kept, err = w.Record.Put(d.ID, d.Here, part)
		}
		if err != nil {
			return out, err
		}
	}
	if d.There.IsZero() && !d.Silent {
		var err error
		out.Head, err = refOrZero(w.Repo, local.PullPrefix+d.ID)
		return out, err
	}
	if _, err := w.Repo.Commit(d.There); !errors.Is(err, gitstore.ErrNoObject) { // it may be any object
		out.Kept = local.DamagedPrefix + d.ID + "/" + d.There.Short()
		evidence := gitstore.RefUpdate{Name: out.Kept, New: d.There, Any: true, Reflog: "assent: kept as evidence"}
		if err := w.Repo.Update(evidence); err != nil {
			return out, fmt.Errorf("keep the journal of %s as evidence: %w", from, err)
		}
	}
	part, err := w.Record.ReadablePart(d.ID, d.There)
	//defence:repairs-see-what-they-replace
	if err != nil {
		return out, fmt.Errorf("the journal on %s stays, because events of others may be in it: %w", from, err)
	}
	if !part.IsZero() && !d.Worse {
		branch, err := refOrZero(w.Repo, remote.Tracking(from, "refs/heads/"+forge.BranchPrefix+d.ID))
		if err != nil {
			return out, err
		}
		if _, err := w.Record.Join(d.ID, local.Theirs{Journal: part, Branch: branch}, func(string) bool { return true }); err != nil {
			return out, fmt.Errorf("fetch the readable part from %s: %w", from, err)
		}
	}
	if out.Head, err = refOrZero(w.Repo, local.PullPrefix+d.ID); err != nil {
		return out, err
	}
	if d.Worse {
		out.Head = d.Here // also where it is folded
	}
	old := d.There
	if out.Kept == "" { // git accepts no objects while one of its refs is dangling, but lets that ref be deleted
		if err := swap(ctx, w, from, remote.Move{Ref: local.PullPrefix + d.ID, Old: old}); err != nil {
			return out, err
		}
		old = tree.Hash{}
	}
	if old == out.Head {
		return out, nil
	}
	return out, swap(ctx, w, from, remote.Move{Ref: local.PullPrefix + d.ID, Old: old, New: out.Head})
}

// swap moves one ref of a remote by compare-and-swap.
func swap(ctx context.Context, w *workspace.Workspace, from string, m remote.Move) error {
	_, err := remote.Push(ctx, w.Repo, from, remote.PushOptions{}, func(there map[string]tree.Hash) ([]remote.Move, error) {
		if there[m.Ref] != m.Old {
			return nil, &gitstore.ErrStale{Ref: m.Ref, Want: m.Old, Got: there[m.Ref]}
		}
		return []remote.Move{m}, nil
	})
	if err != nil {
		return fmt.Errorf("push to %s: %w", from, err)
	}
	return nil
}
