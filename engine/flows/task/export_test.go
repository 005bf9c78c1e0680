package task

import (
	"context"

	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/workspace"
)

// Renew renews the lease of one attempt, for tests.
func Renew(ctx context.Context, w *workspace.Workspace, id, job string, number int, token string) (bool, error) {
	return attempt{w, w, id, workflow.Job{Name: job}, number, token, nil}.renew(ctx)
}

// Rulable says why a job cannot be decided on.
var Rulable = rulable

// OnceID is the ID of the only run that takes over the proposal of another one.
var OnceID = onceID
