package audit

import (
	"context"
	"fmt"
	"slices"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/workspace"
)

// Elsewhere returns the proposals whose journals claim a merge that main lacks: main was rolled
// back, or the journals are false. Unreadable journals are left out, since Verify and doctor report
// them.
func Elsewhere(ctx context.Context, w *workspace.Workspace) ([]forge.Pull, error) {
	all, err := w.Record.List(ctx, forge.Filter{})
	if _, err = forge.Damages(err); err != nil {
		return nil, fmt.Errorf("read the journals of proposals: %w", err)
	}
	return slices.DeleteFunc(all, func(p forge.Pull) bool { return p.Claimed.IsZero() }), nil
}
