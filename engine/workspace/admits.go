package workspace

import (
	"context"

	"github.com/assent-dev/assent/engine/attest"
	"github.com/assent-dev/assent/engine/tree"
)

// Admits says whether main may go to tip: not to another workspace, and to nothing
// that lacks what was seen in force (attest.ErrReplaced, attest.ErrRollback). What of
// it would be in force is for Current to judge when main is there.
func (w *Workspace) Admits(ctx context.Context, tip tree.Hash) error {
	seen, err := w.seen()
	if err != nil {
		return err
	}
	genesis, err := attest.Begins(ctx, w.Repo, tip, seen)
	if err != nil {
		return err
	}
	if err := w.samePlace(genesis); err != nil || !seen.InForce.IsZero() {
		return err
	}
	if seen, err = w.lastSeen(genesis); err != nil || seen.InForce.IsZero() {
		return err
	}
	_, err = attest.Begins(ctx, w.Repo, tip, seen)
	return err
}
