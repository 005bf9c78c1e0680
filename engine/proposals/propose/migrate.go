package propose

import (
	"context"
	"errors"
	"fmt"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/gate/migrate"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
)

// Migrate is the request that raises the workspace by one format.
func Migrate(step migrate.Step) Request {
	return Request{Edits: step.Edits, Proposal: proposal.Proposal{
		Goal: fmt.Sprintf("raise the workspace to format %d", step.To),
		Body: "# Why\n\n" + step.Why + "\n",
	}}
}

// Migrating finds an open proposal that raises the workspace to a format, under any proposer and
// name; ok is false if there is none. An unreadable proposal raises nothing.
func Migrating(ctx context.Context, w *workspace.Workspace, format int) (pull forge.Pull, ok bool, err error) {
	open, err := w.Record.List(ctx, forge.Filter{State: forge.Open})
	if _, err = forge.Damages(err); err != nil {
		return forge.Pull{}, false, err
	}
	for _, p := range open {
		head, err := w.Repo.Snapshot(p.Head)
		if errors.Is(err, gitstore.ErrNoObject) || errors.Is(err, gitstore.ErrCorrupt) {
			continue
		}
		if err != nil {
			return forge.Pull{}, false, fmt.Errorf("read proposal %s: %w", p.ID, err)
		}
		if policies, _ := policy.Load(head); policies.Format == format {
			return p, true, nil
		}
	}
	return forge.Pull{}, false, nil
}
