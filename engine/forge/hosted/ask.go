package hosted

import (
	"context"
	"errors"
	"fmt"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/hub"
)

var _ forge.MergeAsker = (*Forge)(nil)

// Asking makes a forge of it that lets the service make the merges, at once or when what
// the service waits for is there.
func (f *Forge) Asking(queue bool) *Forge {
	out := *f
	out.asks, out.queue = true, queue
	return &out
}

// AsksForMerges implements forge.MergeAsker.
func (f *Forge) AsksForMerges() (asks, queue bool) { return f.asks, f.queue }

// AskMerge implements forge.MergeAsker.
func (f *Forge) AskMerge(ctx context.Context, id string, a forge.Asking) (queued bool, err error) {
	if f.host == nil {
		return false, ErrNoToken
	}
	if err := f.heed(ctx, id); errors.Is(err, ErrMergedThere) {
		return false, nil // whoever did, and what they had in common with this is judged next
	} else if err != nil {
		return false, err
	}
	p, err := f.record().Get(ctx, id)
	switch {
	case err != nil:
		return false, err
	case p.State == forge.Merged:
		return false, forge.ErrMerged
	case p.State != forge.Open:
		return false, forge.ErrClosed
	case p.Head != a.Head:
		return false, &forge.ErrStale{Ref: hub.Branches + id, Want: a.Head, Got: p.Head}
	}
	if err := f.seenThere(ctx, id); err != nil {
		return false, err
	}
	if err := f.heard(ctx, id); err != nil {
		return false, err
	}
	r, err := f.request(ctx, id)
	switch {
	case err != nil:
		return false, err
	case r.Base != p.Base:
		return false, fmt.Errorf("%s (#%d) would be merged into %s instead of %s: set that back on the service", id, r.Number, r.Base, p.Base)
	}
	queued, err = f.host.Merge(ctx, r.Number, host.Merge{Head: a.Head, Title: a.Title, Queue: f.queue})
	if errors.Is(err, host.ErrMoved) {
		err = &forge.ErrStale{Ref: hub.Branches + id, Want: a.Head, Got: r.Head}
		return false, errors.Join(err, f.hub.Sync(ctx, ""))
	}
	if err == nil && !queued {
		err = f.hub.Sync(ctx, "")
	}
	return queued, err
}

// Queued implements forge.MergeAsker.
func (f *Forge) Queued(ctx context.Context, id string) (bool, error) {
	if !f.asking() {
		return false, nil
	}
	ctx = f.brief(ctx)
	r, err := f.host.Find(ctx, forge.BranchPrefix+id, forge.Main)
	if errors.Is(err, host.ErrNoRequest) || err == nil && !r.Open || f.goOn(ctx, err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look up the pull request of %s: %w", id, err)
	}
	queued, err := f.host.Queued(ctx, r.Number)
	if f.goOn(ctx, err) {
		return false, nil
	}
	return queued, err
}

// Unqueue implements forge.MergeAsker.
func (f *Forge) Unqueue(ctx context.Context, id string) (was bool, err error) {
	if f.host == nil {
		return false, ErrNoToken
	}
	r, err := f.host.Find(ctx, forge.BranchPrefix+id, forge.Main)
	if errors.Is(err, host.ErrNoRequest) || err == nil && !r.Open {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look up the pull request of %s: %w", id, err)
	}
	return f.host.Unqueue(ctx, r.Number)
}
