package hub

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/remote"
)

// behindError says that the remote has something else than this clone thought. It is
// no gitstore.ErrStale: deciding again on what is here would not help.
type behindError struct{ cause error }

func (e *behindError) Error() string { return "this clone is behind: " + e.cause.Error() }

// stale is which ref was elsewhere; the zero value where the remote did not say.
func (e *behindError) stale() gitstore.ErrStale {
	if s := new(gitstore.ErrStale); errors.As(e.cause, &s) {
		return *s
	}
	return gitstore.ErrStale{}
}

// shared are the refs that all engines agree on; others are this clone's own.
var shared = []string{MainRef, Branches, "refs/heads/inbox/", "refs/assent/"}

func isShared(ref string) bool {
	for _, prefix := range shared {
		if ref == prefix || strings.HasSuffix(prefix, "/") && strings.HasPrefix(ref, prefix) {
			return true
		}
	}
	return false
}

// offer returns the gitstore.Offer that asks the remote to make the moves, all of
// them or none. Branches of proposals are not deleted with them: the service is told
// first what became of a pull request, because it closes one whose branch vanishes.
func (h *Hub) offer(ctx context.Context) gitstore.Offer {
	return func(updates []gitstore.RefUpdate) error {
		var moves []remote.Move
		_, err := remote.Push(ctx, h.repo, h.remote, remote.PushOptions{}, func(there map[string]tree.Hash) (_ []remote.Move, err error) {
			if moves, err = movesOf(updates, there); err == nil {
				err = h.Before(moves)
			}
			return moves, err
		})
		if err == nil {
			err = h.Afterwards(moves)
		}
		return h.refused(err)
	}
}

// movesOf turns updates into moves of the remote's refs. What is there already needs
// none: it was accepted before a kill here, or before its answer was lost.
func movesOf(updates []gitstore.RefUpdate, there map[string]tree.Hash) ([]remote.Move, error) {
	var moves []remote.Move
	for _, u := range updates {
		at := there[u.Name]
		switch {
		case !isShared(u.Name), u.New.IsZero() && strings.HasPrefix(u.Name, Branches):
		case at == u.New && (u.Old != u.New || !u.New.IsZero()):
		case at != u.Old && !u.Any:
			want := u.Old
			if want.IsZero() { // it is to be made, and stands elsewhere
				want = u.New
			}
			return nil, &gitstore.ErrStale{Ref: u.Name, Want: want, Got: at}
		default:
			moves = append(moves, remote.Move{Ref: u.Name, Old: at, New: u.New})
		}
	}
	return moves, nil
}

// ErrProtected says that the remote lets the account move other refs than main.
var ErrProtected = errors.New("the account that merges must be allowed to push to main")

// refused sorts the answers of a remote.
func (h *Hub) refused(err error) error {
	var stale *gitstore.ErrStale
	var declined *remote.ErrDeclined
	switch {
	case err == nil:
		return nil
	case errors.As(err, &stale), errors.As(err, &declined) && declined.Busy():
		return &behindError{err}
	case errors.As(err, &declined):
		for _, ref := range declined.Refs {
			if ref.Ref == MainRef {
				return fmt.Errorf("%w: %w", ErrProtected, err)
			}
		}
	}
	return err
}

// Drop deletes the branch of an ended proposal from the remote, unless somebody
// put something else there. It is clutter, so that a remote which does not allow it is
// left alone.
func (h *Hub) Drop(ctx context.Context, ref string, head tree.Hash) error {
	_, err := remote.Push(ctx, h.repo, h.remote, remote.PushOptions{}, func(there map[string]tree.Hash) ([]remote.Move, error) {
		if at := there[ref]; !at.IsZero() && at == head {
			return []remote.Move{{Ref: ref, Old: at}}, nil
		}
		return nil, nil
	})
	var declined *remote.ErrDeclined
	if errors.As(h.refused(err), new(*behindError)) || errors.As(err, &declined) {
		return nil
	}
	return err
}
