package propose

import (
	"context"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/workspace"
)

// Settle updates an open proposal to its present validation: the engine's own commit, if the merge
// result passes and the learned lists are outdated, and a report on exactly that. It completes the
// work of a killed process and is idempotent.
func Settle(ctx context.Context, cur workspace.Session, id string) (workspace.Examined, error) {
	ex, err := cur.Examine(ctx, id)
	if err != nil || ex.Case.Pull.State != forge.Open || ex.Case.Conflicted {
		return ex, err
	}
	if ex.Report.Passed && ex.File != "" {
		b := built{proposal: ex.Case.Proposal, file: ex.File, commit: ex.Case.Pull.Head}
		head, err := b.learn(cur.Workspace, cur.View, ex.Report)
		if err != nil {
			return ex, err
		}
		if head != b.commit {
			if _, err := pushEngine(ctx, cur.Workspace, ex.Case.Pull, head); err != nil {
				return ex, err
			}
		}
	}
	return Report(ctx, cur, id)
}
