package audit

import (
	"context"
	"fmt"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
)

// Elsewhere returns the proposals whose journals say that a commit merged them which the line
// of main does not have: main was rolled back, or the journals are false. Journals that cannot
// be read are left out, since Verify and doctor name them.
func Elsewhere(ctx context.Context, w *workspace.Workspace, main tree.Hash) ([]forge.Pull, error) {
	merged, err := w.Record.List(ctx, forge.Filter{State: forge.Merged})
	if _, err = forge.Damages(err); err != nil {
		return nil, fmt.Errorf("read the journals of merged proposals: %w", err)
	}
	on := map[tree.Hash]bool{}
	err = w.Repo.Lineage(main, func(c gitstore.Commit) (bool, error) {
		on[c.Hash] = true
		return true, ctx.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("read main: %w", err)
	}
	var out []forge.Pull
	for _, p := range merged {
		if !on[p.Merge] {
			out = append(out, p)
		}
	}
	return out, nil
}
