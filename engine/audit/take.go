package audit

import (
	"context"
	"fmt"
	"time"

	"github.com/assent-dev/assent/engine/base/version"
	"github.com/assent-dev/assent/engine/format/checkpoint"
	"github.com/assent-dev/assent/engine/workspace"
)

// Checkpoint verifies the record and returns its current ends, for signing and keeping
// elsewhere. It returns none if the record is invalid: see Result.Broken.
func Checkpoint(ctx context.Context, w *workspace.Workspace, progress Progress, witnesses ...Witness) (Result, checkpoint.Checkpoint, error) {
	v := newVerifier(w, progress, witnesses)
	if err := v.run(ctx); err != nil || v.res.Broken != nil {
		return v.res, checkpoint.Checkpoint{}, err
	}
	c := checkpoint.Checkpoint{
		V: checkpoint.Version, Workspace: v.res.Workspace, At: w.Now().UTC().Truncate(time.Second), Engine: version.Engine,
		Main: v.res.Main, Commits: v.res.Commits, InForce: v.res.InForce, Journals: v.journals.ended, Folds: v.journals.folds,
	}
	c.Sort()
	if err := c.Check(); err != nil {
		return v.res, c, fmt.Errorf("describe the record: %w", err)
	}
	return v.res, c, nil
}
