package runlog

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// Rest is how long a run stays after its end before it is folded: notifications of it
// may still be pending.
const Rest = 7 * 24 * time.Hour

// Fold folds the journals of at most most runs that ended long enough ago, and returns
// how many. They keep their refs until Drop. Those that cannot be read are left alone:
// lists name them.
func (l Log) Fold(ctx context.Context, at time.Time, most int) (folded int, err error) {
	entries, err := l.foldable(ctx, at)
	if err != nil {
		return 0, err
	}
	entries = entries[:min(len(entries), most)]
	for len(entries) > 0 {
		n := min(len(entries), journal.MaxFold)
		err := l.agree(ctx, "", func(repo *gitstore.Repo) error {
			added, err := Shelf().Fold(repo, at, entries[:n])
			folded += added
			return err
		})
		if err != nil {
			return folded, fmt.Errorf("fold runs: %w", err)
		}
		entries = entries[n:]
	}
	return folded, nil
}

// Foldable is how many runs Fold would fold.
func (l Log) Foldable(ctx context.Context, at time.Time) (int, error) {
	entries, err := l.foldable(ctx, at)
	return len(entries), err
}

func (l Log) foldable(ctx context.Context, at time.Time) ([]journal.Entry, error) {
	refs, err := l.repo.Refs(Prefix)
	if _, err = gitstore.BrokenRefs(err); err != nil {
		return nil, fmt.Errorf("list the runs: %w", err)
	}
	refs, _ = l.readable(slices.DeleteFunc(refs, func(ref gitstore.Ref) bool {
		last, err := journal.Last(l.repo, ref.Hash)
		return err != nil || !run.Kind(last.Kind).Closes() || at.Sub(last.At) < Rest
	}))
	var out []journal.Entry
	for _, ref := range refs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		id := strings.TrimPrefix(ref.Name, Prefix)
		if done, err := Shelf().FoldedAt(l.repo, id, ref.Hash); done || err != nil || !IsID(id) {
			continue
		}
		s, err := l.Read(id)
		if err != nil {
			continue
		}
		summary, err := json.Marshal(s.Brief())
		if err != nil {
			return nil, fmt.Errorf("encode run %s: %w", id, err)
		}
		out = append(out, journal.Entry{Name: id, Head: ref.Hash, Summary: summary})
	}
	return out, nil
}

// Drop removes the refs of at most most runs that were folded long enough ago.
func (l Log) Drop(ctx context.Context, now time.Time, most int) (out journal.Drops, err error) {
	err = l.agree(ctx, "", func(repo *gitstore.Repo) error {
		out, err = Shelf().Drop(repo, now, most)
		return err
	})
	return out, err
}

// Unite merges the lines that another clone folded (see journal.Shelf).
func (l Log) Unite(ctx context.Context, now time.Time) (united, removed []string, err error) {
	err = l.agree(ctx, "", func(repo *gitstore.Repo) error {
		united, removed, err = Shelf().Unite(repo, now)
		return err
	})
	return united, removed, err
}

// Count returns the number of runs with a ref of their own.
func (l Log) Count() (int, error) {
	all, err := Shelf().Names(l.repo)
	return len(all), err
}
