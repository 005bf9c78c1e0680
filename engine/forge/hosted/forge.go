package hosted

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/gitstore"
	"github.com/assent-dev/assent/engine/remote"
)

// Forge is the forge of one repository that has a remote on a service.
type Forge struct {
	repo   *gitstore.Repo
	remote string
	host   host.Host
	sync   Sync
	// asks says that the service makes the merges, and queue that it does so later.
	asks, queue bool
	// glance is set for those who only look, nil for others.
	glance *glance
	// asked counts how often the service was asked again who pushed since it was tended to,
	// and wait is what happens in between.
	asked int
	wait  func(ctx context.Context, attempt int) error
	// before and afterwards are where tests kill an operation: around each push.
	before, afterwards func([]remote.Move) error
}

var _ forge.Forge = (*Forge)(nil)

// Sync takes in what the remote has, lets what happened here follow it, and publishes
// what the remote lacks of one proposal (none for ""). It moves refs of the repository
// without offering them.
type Sync func(ctx context.Context, id string) error

// New returns the forge of repo, whose remote is a repository of the service behind h.
// Without h (nil) everything can be read that the record tells, and nothing changed.
func New(repo *gitstore.Repo, name string, h host.Host, sync Sync) *Forge {
	live := func([]remote.Move) error { return nil }
	return &Forge{repo: repo, remote: name, host: h, sync: sync, wait: pause, before: live, afterwards: live}
}

// ErrNoToken is the answer to a change while nobody is logged in.
var ErrNoToken = errors.New("nobody is logged in to the service")

// attempts bounds how often an operation is begun again because others were faster.
const attempts = 12

// record is the forge that keeps the journals, reading only what is here.
func (f *Forge) record() *local.Forge { return local.New(f.repo) }

// change runs one operation of the record, offering what it moves to the remote.
// When the remote is elsewhere, what is there is taken in first, and the operation
// decides again on that.
func (f *Forge) change(ctx context.Context, id string, operation func(*local.Forge) error) error {
	if f.host == nil {
		return ErrNoToken
	}
	if err := f.heed(ctx, id); err != nil {
		return err
	}
	return f.offered(ctx, id, operation)
}

// noted is change for what is written down beside a merge that the service made.
func (f *Forge) noted(ctx context.Context, id string, operation func(*local.Forge) error) error {
	if f.host == nil {
		return ErrNoToken
	}
	if err := f.heed(ctx, id); err != nil && !errors.Is(err, ErrMergedThere) {
		return err
	}
	return f.offered(ctx, id, operation)
}

// offered runs an operation, again on what is there now whenever others were faster.
func (f *Forge) offered(ctx context.Context, id string, operation func(*local.Forge) error) error {
	return f.agreed(ctx, id, func(r *gitstore.Repo) error { return operation(local.New(r)) })
}

// Agree runs an operation on this repository whose updates are offered to the remote
// first, and again on what is there whenever others were faster. It is for what engines
// share beside pull requests; id is the one that it is about, "" for none.
func (f *Forge) Agree(ctx context.Context, id string, operation func(*gitstore.Repo) error) error {
	if f.host == nil {
		return ErrNoToken
	}
	return f.agreed(ctx, id, operation)
}

func (f *Forge) agreed(ctx context.Context, id string, operation func(*gitstore.Repo) error) error {
	var last gitstore.ErrStale
	for attempt := 0; ; attempt++ {
		err := operation(f.repo.Offering(f.offer(ctx)))
		var behind *behindError
		if !errors.As(err, &behind) {
			return err
		}
		now := behind.stale()
		switch {
		case now.Ref != "" && (attempt == attempts || now == last): // there is nothing to take in
			return &forge.ErrStale{Ref: now.Ref, Want: now.Want, Got: now.Got}
		case attempt == attempts:
			return fmt.Errorf("%s was busy %d times: %w", f.remote, attempts, err)
		}
		last = now
		if err := pause(ctx, attempt); err != nil {
			return err
		}
		if err := f.sync(ctx, id); err != nil {
			return fmt.Errorf("take in what %s has: %w", f.remote, err)
		}
	}
}

// pause waits a random time that grows with the number of lost races.
func pause(ctx context.Context, attempt int) error {
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
