package mission_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/agents/mission"
	"github.com/assent-dev/assent/engine/agents/toolset"
)

// TestInterruptedBetweenSteps: no step begins after an interruption; this one would need an agent's connection.
func TestInterruptedBetweenSteps(t *testing.T) {
	r := mission.Runner{Store: mission.In(t.TempDir()), Agent: &toolset.Agent{Name: "scout"}, Line: "true", Now: time.Now}
	place := func() (string, error) { return t.TempDir(), nil }
	if err := r.Begin(t.Context(), "m-1", "tie a knot", place); err != nil {
		t.Fatal(err)
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if s, err := r.Continue(ended, "m-1"); !errors.Is(err, context.Canceled) || len(s.Steps) != 1 {
		t.Errorf("%+v, %v", s.Steps, err)
	}
}
