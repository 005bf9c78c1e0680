package hosted

import (
	"context"
	"errors"
	"fmt"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/hub"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// Forge is the forge of one repository that has a remote on a service.
type Forge struct {
	hub  *hub.Hub
	repo *gitstore.Repo
	host host.Host
	// asks says that the service makes the merges, and queue that it does so later.
	asks, queue bool
	// glance is set for those who only look, nil for others.
	glance *glance
	// asked counts how often the service was asked again who pushed since it was tended to,
	// and wait is what happens in between.
	asked int
	wait  func(ctx context.Context, attempt int) error
}

var _ forge.Forge = (*Forge)(nil)

// New returns the forge of repo, whose remote is a repository of the service behind h.
// Without h (nil) everything can be read that the record tells, and nothing changed.
func New(repo *gitstore.Repo, name string, h host.Host, sync hub.Sync) *Forge {
	return &Forge{hub: hub.New(repo, name, sync), repo: repo, host: h, wait: hub.Pause}
}

// ErrNoToken is the answer to a change while nobody is logged in.
var ErrNoToken = errors.New("nobody is logged in to the service")

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
	err := f.hub.Agree(ctx, id, func(r *gitstore.Repo) error { return operation(local.New(r)) })
	if errors.Is(err, hub.ErrProtected) {
		return fmt.Errorf("%w; or let the service make the merges: git config assent.merge service; `assent doctor` says what the service allows", err)
	}
	return err
}

// Agree runs an operation on this repository whose updates are offered to the remote
// first, and again on what is there whenever others were faster. It is for what engines
// share beside pull requests; id is the one that it is about, "" for none.
func (f *Forge) Agree(ctx context.Context, id string, operation func(*gitstore.Repo) error) error {
	if f.host == nil {
		return ErrNoToken
	}
	return f.hub.Agree(ctx, id, operation)
}
