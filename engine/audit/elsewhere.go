package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// Elsewhere returns the proposals whose journals record a merge commit that main's line
// lacks: main was rolled back, or the journals are false. A commit that the remote's main
// has beyond it does not count: this clone is behind. Unreadable journals are left out,
// since Verify and doctor report them.
func Elsewhere(ctx context.Context, w *workspace.Workspace, main tree.Hash) ([]forge.Pull, error) {
	merged, err := w.Record.List(ctx, forge.Filter{State: forge.Merged})
	if _, err = forge.Damages(err); err != nil {
		return nil, fmt.Errorf("read the journals of merged proposals: %w", err)
	}
	on, err := lineUpTo(ctx, w.Repo, main, tree.Hash{})
	if err != nil {
		return nil, err
	}
	var out []forge.Pull
	for _, p := range merged {
		if !on[p.Merge] {
			out = append(out, p)
		}
	}
	if len(out) == 0 {
		return nil, nil
	}
	there, err := upstream(ctx, w.Repo, main)
	kept := out[:0]
	for _, p := range out {
		if !there[p.Merge] {
			kept = append(kept, p)
		}
	}
	return kept, err
}

// upstream returns the commits that the remote's main has beyond main, as of the last
// fetch; none if it does not descend from main.
func upstream(ctx context.Context, repo *gitstore.Repo, main tree.Hash) (map[tree.Hash]bool, error) {
	name := cmp.Or(repo.Config("assent.remote"), "origin")
	out := map[tree.Hash]bool{}
	for _, ref := range []string{"refs/remotes/" + name + "/main", remote.Tracking(name, attest.MainRef)} {
		tip, err := repo.Ref(ref)
		if err != nil {
			continue // it was not fetched, or it is broken, which doctor reports
		}
		ahead, err := repo.IsAncestor(main, tip)
		if errors.Is(err, gitstore.ErrNoObject) || err == nil && !ahead {
			continue
		}
		var line map[tree.Hash]bool
		if err == nil {
			line, err = lineUpTo(ctx, repo, tip, main)
		}
		if err != nil {
			return nil, err
		}
		for commit := range line {
			out[commit] = true
		}
	}
	return out, nil
}

// lineUpTo returns the commits of a first-parent line from tip down to, but without, end.
func lineUpTo(ctx context.Context, repo *gitstore.Repo, tip, end tree.Hash) (map[tree.Hash]bool, error) {
	out := map[tree.Hash]bool{}
	err := repo.Lineage(tip, func(c gitstore.Commit) (bool, error) {
		if c.Hash == end {
			return false, nil
		}
		out[c.Hash] = true
		return true, ctx.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("read the line of %s: %w", tip.Short(), err)
	}
	return out, nil
}
