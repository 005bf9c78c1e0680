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
// made on the hub first; all other changes stay here until they are pushed.
type Forge struct {
	*local.Forge
	hub *Hub
}

var _ forge.Forge = Forge{}

// Of returns the forge of the repository whose hub is h.
func Of(h *Hub) Forge { return Forge{local.New(h.repo), h} }

// Traits implements forge.Forge.
func (f Forge) Traits() forge.Traits { return forge.Traits{Remote: f.hub.remote} }

// Refresh implements forge.Forge.
func (f Forge) Refresh(ctx context.Context) error { return f.hub.Sync(ctx, "") }

// Closely implements forge.Forge.
func (f Forge) Closely() forge.Forge { return f }

// Glancing implements forge.Forge.
func (f Forge) Glancing(func(error)) forge.Forge { return f }

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
