package run_test

import (
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// A lease that is longer than any engine takes counts as ended: anyone who can push can write one.
func TestEndlessLease(t *testing.T) {
	now := time.Date(2026, 11, 26, 9, 0, 0, 0, time.UTC)
	w := workflow.Workflow{Name: "ci", Jobs: []workflow.Job{{Name: "look", Script: &workflow.Script{}}}}
	for lasts, lost := range map[time.Duration]bool{time.Minute: false, 9 * time.Minute: false, time.Hour: true, 24 * 365 * 50 * time.Hour: true, -time.Second: true} {
		s := run.State{ID: "ci-1", Began: now, Jobs: map[string]run.Job{"look": {Status: run.Running, Attempt: 1, Until: now.Add(lasts)}}}
		next := run.Decide(w, s, now)
		if got := next.Record != nil && next.Record.Kind == run.Lost; got != lost {
			t.Errorf("a lease of %v: %+v", lasts, next)
		}
	}
}
