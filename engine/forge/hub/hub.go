// Package hub keeps the record of one repository in step with a remote that several
// clones share. Each ref moves on the remote first, by compare-and-swap, so two clones
// never both merge. It knows nothing of services; package hosted adds one.
package hub

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/remote"
)

// The branches that all clones share.
const (
	MainRef  = "refs/heads/" + forge.Main
	Branches = "refs/heads/" + forge.BranchPrefix
)

// Sync fetches from the remote, replays local changes onto it, and publishes what the
// remote lacks of the proposal id (no proposal if empty). It moves refs of the repository
// without offering them to the remote.
type Sync func(ctx context.Context, id string) error

// Hub is a remote that accepts each ref update before the repository makes it.
type Hub struct {
	repo   *gitstore.Repo
	remote string
	sync   Sync
	// Before and Afterwards run around each push; tests interrupt operations there.
	Before, Afterwards func([]remote.Move) error
}

// New returns the hub of a repository; name is that of its remote.
func New(repo *gitstore.Repo, name string, sync Sync) *Hub {
	live := func([]remote.Move) error { return nil }
	return &Hub{repo: repo, remote: name, sync: sync, Before: live, Afterwards: live}
}

// Remote returns the name of the remote.
func (h *Hub) Remote() string { return h.remote }

// Sync fetches from the remote and publishes what it lacks of one proposal.
func (h *Hub) Sync(ctx context.Context, id string) error {
	if err := h.sync(ctx, id); err != nil {
		return fmt.Errorf("sync with %s: %w", h.remote, err)
	}
	return nil
}

// attempts bounds the retries of an operation that loses races.
const attempts = 12

// Agree runs operation on this repository and offers its ref updates to the remote first.
// If another clone was faster, it syncs and runs operation again. id names the proposal,
// empty for none. The error is a forge.ErrStale if syncing brought nothing new.
func (h *Hub) Agree(ctx context.Context, id string, operation func(*gitstore.Repo) error) error {
	var last gitstore.ErrStale
	for attempt := 0; ; attempt++ {
		err := operation(h.repo.Offering(h.offer(ctx)))
		var behind *behindError
		if !errors.As(err, &behind) {
			return err
		}
		now := behind.stale()
		switch {
		case now.Ref != "" && (attempt == attempts || now == last): // syncing brought nothing new
			return &forge.ErrStale{Ref: now.Ref, Want: now.Want, Got: now.Got}
		case attempt == attempts:
			return fmt.Errorf("%s was busy %d times: %w", h.remote, attempts, err)
		}
		last = now
		if err := Pause(ctx, attempt); err != nil {
			return err
		}
		if err := h.Sync(ctx, id); err != nil {
			return err
		}
	}
}

// Pause waits a random time that grows with the number of lost races.
func Pause(ctx context.Context, attempt int) error {
	if attempt == 0 {
		return ctx.Err()
	}
	most := 20 * time.Millisecond << min(attempt, 6)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(rand.N(most)):
		return nil
	}
}

// Refs returns the refs of the remote.
func (h *Hub) Refs(ctx context.Context) (refs map[string]tree.Hash, err error) {
	_, err = remote.Push(ctx, h.repo, h.remote, remote.PushOptions{}, func(there map[string]tree.Hash) ([]remote.Move, error) {
		refs = there
		return nil, nil
	})
	return refs, err
}

// ErrAhead reports that the local main has commits that the remote lacks.
var ErrAhead = errors.New("main has commits here that the remote lacks")

// UpToDate refuses a merge onto a main that the remote lacks: such a merge could be
// announced and never completed. The error may be ErrAhead.
func (h *Hub) UpToDate(ctx context.Context, base tree.Hash) error {
	there, err := h.Refs(ctx)
	if err != nil || there[MainRef] == base {
		return err
	}
	return h.NotAhead(there[MainRef], base) // if main is behind, the merge detects that it moved
}

// NotAhead returns ErrAhead if the local main is ahead of the remote's.
func (h *Hub) NotAhead(there, here tree.Hash) error {
	if _, err := h.repo.Passable(there); errors.Is(err, gitstore.ErrNoObject) {
		return nil // a commit that this clone lacks is ahead of it
	}
	if ahead, err := h.repo.IsAncestor(there, here); err != nil || !ahead {
		return err
	}
	return fmt.Errorf("%w: git push %s refs/heads/main, or remove them from main", ErrAhead, names.ShellWord(h.remote))
}
