package exchange

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/assent-dev/assent/engine/forge/hub"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/workspace"
)

// SyncOf returns the function that synchronizes this clone with a remote.
func SyncOf(w *workspace.Workspace, name string) hub.Sync {
	return func(ctx context.Context, id string) error {
		pulled, err := Pull(ctx, w, name, false)
		if err = errors.Join(err, pulled.Held); err != nil || id == "" {
			return err
		}
		pushed, err := Push(ctx, w, Options{Remote: name, IDs: []string{id}})
		for _, h := range pushed.Held {
			if err == nil && h.What == id && slices.Contains(pulled.Untaken, local.PullPrefix+id) {
				err = fmt.Errorf("%s: %s", id, h.Why)
			}
		}
		return err
	}
}

// Share pulls from a remote and publishes merges that it lacks. From then on main moves
// on both sides together (hub.Forge).
func Share(ctx context.Context, w *workspace.Workspace, o Options) error {
	pulled, err := Pull(ctx, w, o.Remote, false)
	bare := errors.Is(err, remote.ErrNoRemoteMain)
	if err = errors.Join(err, pulled.Held); err != nil && !bare {
		return err
	}
	if bare || pulled.Ahead {
		if _, err := Push(ctx, w, Options{Remote: o.Remote, Say: o.Say}); err != nil {
			return err
		}
	}
	Through(w, o.Remote)
	return nil
}

// ErrAhead says that main here has merges that the remote lacks.
var ErrAhead = errors.New("main here has merges that the remote lacks")

// First pulls from a remote, which from then on takes each record of the workspace's runs first, by compare-and-swap, and
// before it the run's proposal, whose commits the record may name. It publishes nothing else: the error is ErrAhead if
// main here has more than main there.
func First(ctx context.Context, w *workspace.Workspace, from string) (*workspace.Workspace, error) {
	pulled, err := Pull(ctx, w, from, false)
	if err = errors.Join(err, pulled.Held); err != nil {
		return nil, err
	}
	if pulled.Ahead {
		return nil, ErrAhead
	}
	Through(w, from)
	own, sync := *w, SyncOf(w, from)
	agree := hub.New(w.Repo, from, sync).Agree
	own.Runs = w.Runs.Agreed(func(ctx context.Context, id string, operation func(*gitstore.Repo) error) error {
		if s, err := w.Runs.Read(id); err == nil { // else it begins, and has none
			about := cmp.Or(s.Proposal, id)
			if _, err := w.Record.Get(ctx, about); err == nil {
				if err := sync(ctx, about); err != nil {
					return err
				}
			}
		}
		return agree(ctx, id, operation)
	})
	return &own, nil
}

// Through makes the merges of a workspace happen on a remote first. It does nothing if
// the forge shares merges already.
func Through(w *workspace.Workspace, name string) {
	if w.Forge.Traits().Remote != "" {
		return
	}
	w.Forge = hub.Of(hub.New(w.Repo, name, SyncOf(w, name)))
}
