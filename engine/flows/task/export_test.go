package task

import (
	"context"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// Renew renews the lease of one attempt, for tests.
func Renew(ctx context.Context, w *workspace.Workspace, id, job string, number int, token string) (bool, error) {
	return attempt{w, w, id, workflow.Job{Name: job}, number, token, nil}.renew(ctx)
}

// Rulable says why a job cannot be decided on.
var Rulable = rulable

// OnceID is the ID of the only run that takes over the proposal of another one.
var OnceID = onceID

// Moot says whether the result of a check of a proposal's head cannot count any more, as when its lease is renewed.
func Moot(ctx context.Context, cur workspace.Session, proposal string, head tree.Hash, due bool) bool {
	a := Advanced{State: run.State{Proposal: proposal}, shown: merged{head: head}}
	return a.moot(ctx, cur, strings.Repeat("a", 32))(due)
}
