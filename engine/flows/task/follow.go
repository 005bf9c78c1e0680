package task

import (
	"context"
	"time"

	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// Follow is Advance until the run has ended or waits for a person, an agent or an action, also while other
// processes run its scripts. It calls pause between two looks at those.
func Follow(ctx context.Context, w *workspace.Workspace, id string, pause func() error) (out Advanced, err error) {
	for {
		next, err := Advance(ctx, w, id)
		next.Steps = append(out.Steps, next.Steps...)
		if len(next.Worktree.Worktrees) == 0 {
			next.Worktree = out.Worktree
		}
		if out = next; err != nil || !runsElsewhere(w, out.State) {
			return out, err
		}
		for s := out.State; s.Records == out.Records && runsElsewhere(w, s); {
			if err := pause(); err != nil {
				return out, err
			}
			if s, err = w.Runs.Read(id); err != nil {
				return out, err
			}
		}
	}
}

// runsElsewhere reports whether another process runs a script of a run.
func runsElsewhere(w *workspace.Workspace, s run.State) bool {
	for _, j := range s.Jobs {
		if s.Outcome == "" && j.Status == run.Running && Stalled(w, j) == "" {
			return true
		}
	}
	return false
}

// Stalled says why no process runs a script that counts as running; "" if one may.
func Stalled(w *workspace.Workspace, j run.Job) string {
	switch {
	case j.Status != run.Running:
		return ""
	case !w.Now().Before(j.Until):
		return "its process has not renewed its lease since " + j.Until.UTC().Format(time.RFC3339)
	case died(w, j.Token):
		return "its process on this machine ended without a result"
	}
	return ""
}
