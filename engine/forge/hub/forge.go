package hub

import (
	"context"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/remote"
)

// Forge is the embedded forge of a clone that shares a hub without a service. Its merges are
// made on the hub and here, or nowhere; everything else stays here until it is pushed.
type Forge struct {
	*local.Forge
	hub *Hub
}

var _ forge.Forge = Forge{}

// Of is the forge of the repository that h is the hub of.
func Of(h *Hub) Forge { return Forge{local.New(h.repo), h} }

// Merge implements forge.Forge. The error may be ErrAhead or ErrProtected.
func (f Forge) Merge(ctx context.Context, id string, m forge.Merge) (tree.Hash, error) {
	var commit tree.Hash
	if err := f.hub.UpToDate(ctx, m.Base); err != nil {
		return commit, err
	}
	err := f.hub.Agree(ctx, id, func(r *gitstore.Repo) (err error) {
		commit, err = local.New(r).Merge(ctx, id, m)
		return err
	})
	if err == nil {
		remote.Track(f.hub.repo, f.hub.remote, remote.Move{Ref: MainRef, New: commit})
		_ = f.hub.Drop(ctx, Branches+id, m.Head) // the next push does
	}
	return commit, err
}
