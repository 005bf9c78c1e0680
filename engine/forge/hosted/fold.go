package hosted

import (
	"context"
	"time"

	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
)

// Keeps says that the journals can be folded, which somebody has to be logged in for:
// all that moves is offered to the remote first, so that any clone may do it.
func (f *Forge) Keeps() bool { return f.host != nil }

// Standing is how many journals have a ref of their own here.
func (f *Forge) Standing() (int, error) { return f.record().Standing() }

// Foldable is how many pull requests Fold would fold.
func (f *Forge) Foldable(ctx context.Context) (int, error) { return f.record().Foldable(ctx) }

// Fold folds pull requests that ended (see local.Forge.Fold), here and on the remote.
func (f *Forge) Fold(ctx context.Context, at time.Time, most int, progress func(done, total int)) (folded int, err error) {
	err = f.Agree(ctx, "", func(r *gitstore.Repo) error {
		n, err := local.New(r).Fold(ctx, at, most-folded, progress)
		folded += n
		return err
	})
	return folded, err
}

// Drop removes refs of what was folded long enough ago, here and on the remote.
func (f *Forge) Drop(ctx context.Context, now time.Time, most int) (out journal.Drops, err error) {
	err = f.Agree(ctx, "", func(r *gitstore.Repo) error {
		out, err = local.New(r).Drop(ctx, now, most)
		return err
	})
	return out, err
}

// Unite takes in lines that stand beside ours from before this was a service.
func (f *Forge) Unite(ctx context.Context, now time.Time) (united, removed []string, err error) {
	err = f.Agree(ctx, "", func(r *gitstore.Repo) error {
		united, removed, err = local.New(r).Unite(ctx, now)
		return err
	})
	return united, removed, err
}
