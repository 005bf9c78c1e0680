package hosted

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/host"
)

// lookBack is how far pull requests are looked through at least: by when a proposal says
// that it was opened, its proposer may have meant to hide one.
const lookBack = 30 * 24 * time.Hour

// objections adds what was objected on a pull request that stands for a proposal no more,
// or for another base: whoever changed that did not take an objection back. Whoever
// approved saw another difference.
func (f *Forge) objections(ctx context.Context, number int, a *forge.Activity) error {
	there := forge.Activity{Reviews: signed(a.Reviews)}
	if err := f.reviews(ctx, number, &there); err != nil {
		return err
	}
	for _, r := range there.Reviews {
		if len(r.Record) == 0 && r.Decision != "approve" {
			a.Reviews = append(a.Reviews, r)
		}
	}
	return nil
}

// elsewhere adds what was objected on all pull requests of a proposal but the one that
// stands for it.
func (f *Forge) elsewhere(ctx context.Context, p forge.Pull, standing int, a *forge.Activity) error {
	since := time.Now().Add(-lookBack)
	if at := p.Opened.Add(-24 * time.Hour); at.Before(since) { // a day, as clocks differ
		since = at
	}
	all, err := f.host.From(ctx, p.Branch, since)
	if err != nil {
		return err
	}
	for _, r := range all {
		if r.Number == standing {
			continue
		}
		if err := f.objections(ctx, r.Number, a); err != nil {
			return err
		}
	}
	return nil
}

// heard answers forge.ErrCloser where somebody objected who was not heard by whoever is
// about to merge.
func (f *Forge) heard(ctx context.Context, id string) error {
	if f.host == nil || forge.ReadsClosely(ctx) {
		return nil
	}
	p, err := f.record().Get(ctx, id)
	if err != nil {
		return err
	}
	r, err := f.host.Find(ctx, p.Branch, p.Base)
	if err != nil && !errors.Is(err, host.ErrNoRequest) {
		return err
	}
	a, err := f.record().Activity(ctx, id)
	if err != nil {
		return err
	}
	a.Reviews = signed(a.Reviews)
	known := len(a.Reviews)
	if err := f.elsewhere(ctx, p, r.Number, &a); err != nil {
		return err
	}
	if len(a.Reviews) > known {
		return forge.ErrCloser
	}
	return nil
}

// signed are those that count by their signature.
func signed(reviews []forge.Review) []forge.Review {
	return slices.DeleteFunc(slices.Clone(reviews), func(r forge.Review) bool { return len(r.Record) == 0 })
}
