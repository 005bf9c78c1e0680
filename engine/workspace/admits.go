package workspace

import (
	"context"
	"fmt"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// Admits returns an error if main must not move to tip: it is of another workspace
// (attest.ErrReplaced), or lacks the commit last seen in force (attest.ErrRollback). It does not
// judge the commits; Session does, once main is there.
func (w *Workspace) Admits(ctx context.Context, tip tree.Hash) error {
	seen, err := w.Memory().seen()
	if err != nil {
		return err
	}
	genesis, err := attest.Begins(ctx, w.Repo, tip, seen)
	if err != nil {
		return err
	}
	if err := w.Memory().samePlace(genesis); err != nil || !seen.InForce.IsZero() {
		return err
	}
	if seen, err = w.Memory().lastSeen(genesis); err != nil || seen.InForce.IsZero() {
		return err
	}
	_, err = attest.Begins(ctx, w.Repo, tip, seen)
	return err
}

// Judges returns an error if readers could not find the commit in force of a main at tip.
// Commits past the gate are no error: readers see them as blocked. An unreadable commit
// is one, since no checkout could follow it.
func (w *Workspace) Judges(ctx context.Context, tip tree.Hash) error {
	seen, err := w.Memory().seen()
	if err != nil {
		return err
	}
	st, err := attest.ObserveAt(ctx, w.Repo, tip, seen, judges(w, w.judge))
	if err != nil {
		return err
	}
	for _, b := range st.Blocked {
		if !b.Back.IsZero() {
			return fmt.Errorf("commit %s %s: %w", b.Commit.Short(), b.Why, gitstore.ErrCorrupt)
		}
	}
	_, err = w.inForce(st, true)
	return err
}
