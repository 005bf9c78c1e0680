package hosted

import (
	"context"
	"errors"
	"fmt"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/hub"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// ErrMergedThere reports that a pull request was merged on the service itself. The result
// takes effect only after an engine has attested it.
var ErrMergedThere = errors.New("it was merged on the service itself: `assent merge` with its id attests that merge if the gate allowed it then; else revert it (git revert)")

// changes makes changes of the record on the remote first.
type changes struct {
	*shared
	page *page
}

// make runs one operation of the record, and offers its moves to the remote. If the remote
// is ahead, its state is fetched and the operation decides again.
func (c *changes) make(ctx context.Context, id string, operation func(*local.Forge) error) error {
	if c.host == nil {
		return ErrNoToken
	}
	if err := c.heed(ctx, id); err != nil {
		return err
	}
	return c.offer(ctx, id, operation)
}

// note is make for records beside a merge that the service made.
func (c *changes) note(ctx context.Context, id string, operation func(*local.Forge) error) error {
	if c.host == nil {
		return ErrNoToken
	}
	if err := c.heed(ctx, id); err != nil && !errors.Is(err, ErrMergedThere) {
		return err
	}
	return c.offer(ctx, id, operation)
}

// offer runs an operation, and repeats it on the remote's state after a lost race.
func (c *changes) offer(ctx context.Context, id string, operation func(*local.Forge) error) error {
	err := c.hub.Agree(ctx, id, func(r *gitstore.Repo) error { return operation(local.New(r)) })
	if errors.Is(err, hub.ErrProtected) {
		return fmt.Errorf("%w; or let the service make the merges: git config assent.merge service; `assent doctor` says what the service allows", err)
	}
	return err
}

// heed records that a pull request was closed on the service. One that the service still
// shows as closed since before a reopening here does not count.
func (c *changes) heed(ctx context.Context, id string) error {
	p, err := c.record().Get(ctx, id)
	if errors.Is(err, forge.ErrNotFound) {
		return nil // the operation reports it
	}
	if err != nil || p.State != forge.Open {
		return err
	}
	r, err := c.host.Find(ctx, p.Branch, p.Base)
	switch {
	case errors.Is(err, host.ErrNoRequest):
		return nil
	case err != nil:
		return fmt.Errorf("look up the pull request of %s: %w", id, err)
	case r.Open:
		return nil
	}
	if p, err = c.fresh(ctx, id); err != nil || p.State != forge.Open {
		return err
	}
	switch {
	case r.Merged:
		return fmt.Errorf("%s (#%d): %w", id, r.Number, ErrMergedThere)
	case openedSince(p, r):
		return nil
	}
	closing := forge.Closing{By: forge.Actor{Name: "assent"}, Why: withdrawn, At: r.Updated,
		Note: "It was closed on the service, or its branch was deleted there. assent reopen " + names.ShellWord(id) + " brings both back."}
	if err := c.offer(ctx, id, func(l *local.Forge) error { return l.Close(ctx, id, closing) }); err != nil {
		return err
	}
	return c.page.show(ctx, id)
}
