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

// behindError reports that the remote differs from this clone's copy. It must not be a
// gitstore.ErrStale: a retry without fetching would not help.
type behindError struct{ cause error }

func (e *behindError) Error() string { return "this clone is behind: " + e.cause.Error() }

// stale returns the ref that moved; the zero value if the remote did not name it.
func (e *behindError) stale() gitstore.ErrStale {
	if s := new(gitstore.ErrStale); errors.As(e.cause, &s) {
		return *s
	}
	return gitstore.ErrStale{}
}

// shared are the refs that all clones agree on. The others belong to one clone.
var shared = []string{MainRef, Branches, "refs/heads/inbox/", "refs/assent/"}

func isShared(ref string) bool {
	for _, prefix := range shared {
		if ref == prefix || strings.HasSuffix(prefix, "/") && strings.HasPrefix(ref, prefix) {
			return true
		}
	}
	return false
}

// offer returns a gitstore.Offer that asks the remote for the moves, all or none. It does
// not delete branches of proposals: a service closes a pull request whose branch
// vanishes, so the outcome must reach the service first.
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

// movesOf turns updates into moves of the remote's refs. An update that the remote
// already has needs no move: it was accepted before a crash or a lost answer.
func movesOf(updates []gitstore.RefUpdate, there map[string]tree.Hash) ([]remote.Move, error) {
	var moves []remote.Move
	for _, u := range updates {
		at := there[u.Name]
		switch {
		case !isShared(u.Name), u.New.IsZero() && strings.HasPrefix(u.Name, Branches):
		case at == u.New && (u.Old != u.New || !u.New.IsZero()):
		case at != u.Old && !u.Any:
			want := u.Old
			if want.IsZero() { // a new ref exists on the remote with another value
				want = u.New
			}
			return nil, &gitstore.ErrStale{Ref: u.Name, Want: want, Got: at}
		default:
			moves = append(moves, remote.Move{Ref: u.Name, Old: at, New: u.New})
		}
	}
	return moves, nil
}

// ErrProtected reports that the remote accepts the account's other refs but not main.
var ErrProtected = errors.New("the account that merges must be allowed to push to main")

// refused classifies an error of a push.
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

// Drop deletes the branch of an ended proposal on the remote, unless it moved. The branch
// is only clutter, so a refusal of the remote is ignored.
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
