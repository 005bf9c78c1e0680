// Package hub keeps the record of one repository in step with a remote that several clones
// share: what is to move here is moved there first, by compare-and-swap, so that two clones
// never both merge. It knows nothing of services; package hosted adds one.
package hub

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

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

// Sync takes in what the remote has, lets what happened here follow it, and publishes
// what the remote lacks of one proposal (none for ""). It moves refs of the repository
// without offering them.
type Sync func(ctx context.Context, id string) error

// Hub is a remote that agrees to each move before it is made here.
type Hub struct {
	repo   *gitstore.Repo
	remote string
	sync   Sync
	// Before and Afterwards are where tests kill an operation: around each push.
	Before, Afterwards func([]remote.Move) error
}

// New returns the hub that a repository knows as a remote of this name.
func New(repo *gitstore.Repo, name string, sync Sync) *Hub {
	live := func([]remote.Move) error { return nil }
	return &Hub{repo: repo, remote: name, sync: sync, Before: live, Afterwards: live}
}

// Remote is the name of the hub here.
func (h *Hub) Remote() string { return h.remote }

// Sync takes in what is there and publishes what it lacks of one proposal.
func (h *Hub) Sync(ctx context.Context, id string) error {
	if err := h.sync(ctx, id); err != nil {
		return fmt.Errorf("take in what %s has: %w", h.remote, err)
	}
	return nil
}

// attempts bounds how often an operation is begun again because others were faster.
const attempts = 12

// Agree runs an operation on this repository whose updates are offered to the remote
// first, and again on what is there whenever others were faster; id is the proposal that it
// is about, "" for none. The error may be a forge.ErrStale: there was nothing to take in.
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
		case now.Ref != "" && (attempt == attempts || now == last): // there is nothing to take in
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

// Main is where main is on the remote.
func (h *Hub) Main(ctx context.Context) (tree.Hash, error) {
	var at tree.Hash
	_, err := remote.Push(ctx, h.repo, h.remote, remote.PushOptions{}, func(there map[string]tree.Hash) ([]remote.Move, error) {
		at = there[MainRef]
		return nil, nil
	})
	return at, err
}

// ErrAhead says that main here has commits that the remote lacks.
var ErrAhead = errors.New("main has commits here that the remote lacks")

// UpToDate refuses a merge upon a main that the remote has not: it could be announced and
// never made. The error may be ErrAhead.
func (h *Hub) UpToDate(ctx context.Context, base tree.Hash) error {
	at, err := h.Main(ctx)
	if err != nil || at == base {
		return err
	}
	return h.NotAhead(at, base) // where it is behind, the merge finds that main moved
}

// NotAhead refuses a main here that goes on from where it is on the remote: ErrAhead.
func (h *Hub) NotAhead(there, here tree.Hash) error {
	if _, err := h.repo.Commit(there); err != nil {
		return nil //nolint:nilerr // what this clone lacks is ahead of it
	}
	if ahead, err := h.repo.IsAncestor(there, here); err != nil || !ahead {
		return err
	}
	return fmt.Errorf("%w: git push %s main, or take them back", ErrAhead, h.remote)
}
