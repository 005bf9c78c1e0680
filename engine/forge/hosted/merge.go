package hosted

import (
	"context"
	"errors"
	"fmt"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/hub"
	"github.com/assent-dev/assent/engine/forge/local"
)

// merger makes merges, or asks the service to make them.
type merger struct {
	*shared
	reader  *reader
	page    *page
	changes *changes
	queue   bool
}

// Merge implements forge.Forge: main, the record of the merge and its evidence move on the
// remote by compare-and-swap, to the commit that was judged. Of a commit that the service
// made, only the record moves.
func (m *merger) Merge(ctx context.Context, id string, req forge.Merge) (tree.Hash, error) {
	var commit tree.Hash
	change, upToDate := m.changes.make, func() error { return m.hub.UpToDate(ctx, req.Base) }
	if !req.Made.IsZero() {
		change, upToDate = m.changes.note, func() error { return m.sameMain(ctx, id) }
	}
	if err := req.Check(); err == nil && m.host != nil {
		if err := upToDate(); err != nil {
			return commit, err
		}
		if err := m.reader.allHeard(ctx, id); err != nil {
			return commit, err
		}
	}
	err := change(ctx, id, func(l *local.Forge) (err error) {
		commit, err = l.Merge(ctx, id, req)
		return err
	})
	if err == nil {
		err = m.page.show(ctx, id)
	}
	return commit, err
}

// AskMerge implements forge.MergeAsker.
func (m *merger) AskMerge(ctx context.Context, id string, a forge.Asking) (queued bool, err error) {
	if m.host == nil {
		return false, ErrNoToken
	}
	if err := m.changes.heed(ctx, id); errors.Is(err, ErrMergedThere) {
		return false, nil // the caller judges that merge next
	} else if err != nil {
		return false, err
	}
	if err := m.mustBeAt(ctx, id, a.Head); err != nil {
		return false, err
	}
	if err := m.sameMain(ctx, id); err != nil {
		return false, err
	}
	if err := m.reader.allHeard(ctx, id); err != nil {
		return false, err
	}
	r, err := m.page.request(ctx, id)
	switch {
	case err != nil:
		return false, err
	case r.Base != forge.Main:
		return false, fmt.Errorf("%s (#%d) would be merged into %s instead of %s: set that back on the service", id, r.Number, r.Base, forge.Main)
	}
	queued, err = m.host.Merge(ctx, r.Number, host.Merge{Head: a.Head, Title: a.Title, Queue: m.queue})
	if errors.Is(err, host.ErrMoved) {
		err = &forge.ErrStale{Ref: hub.Branches + id, Want: a.Head, Got: r.Head}
		return false, errors.Join(err, m.hub.Sync(ctx, ""))
	}
	if err == nil && !queued {
		err = m.hub.Sync(ctx, "")
	}
	return queued, err
}

// sameMain refuses to attest a merge of the service unless main is the same there and here:
// it may have been reverted meanwhile.
func (m *merger) sameMain(ctx context.Context, id string) error {
	here, err := m.repo.Ref(hub.MainRef)
	if err != nil {
		return err
	}
	there, err := m.hub.Refs(ctx)
	at := there[hub.MainRef]
	if err != nil || at == here {
		return err
	}
	if err := m.hub.NotAhead(at, here); err != nil {
		return err
	}
	if err := m.hub.Sync(ctx, id); err != nil {
		return err
	}
	return &forge.ErrStale{Ref: hub.MainRef, Want: here, Got: at}
}

// Queued implements forge.MergeAsker.
func (m *merger) Queued(ctx context.Context, id string) (bool, error) {
	if !m.reader.asks() {
		return false, nil
	}
	r, open, err := openRequest(ctx, m.reader.host, id)
	if m.reader.passOver(ctx, err) || err == nil && !open {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	queued, err := m.reader.host.Queued(ctx, r.Number)
	if m.reader.passOver(ctx, err) {
		return false, nil
	}
	return queued, err
}

// Unqueue implements forge.MergeAsker.
func (m *merger) Unqueue(ctx context.Context, id string) (was bool, err error) {
	if m.host == nil {
		return false, ErrNoToken
	}
	r, open, err := openRequest(ctx, m.host, id)
	if err != nil || !open {
		return false, err
	}
	return m.host.Unqueue(ctx, r.Number)
}

// openRequest finds the open pull request of a proposal on a service.
func openRequest(ctx context.Context, h host.Host, id string) (r host.Request, open bool, err error) {
	r, err = h.Find(ctx, forge.BranchPrefix+id, forge.Main)
	if errors.Is(err, host.ErrNoRequest) {
		return r, false, nil
	}
	if err != nil {
		return r, false, fmt.Errorf("look up the pull request of %s: %w", id, err)
	}
	return r, r.Open, nil
}
