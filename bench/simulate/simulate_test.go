package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/registry/trial"
)

// TestWorld: the harmful capability is found in one simulated workspace, the same missions come whatever is
// archived, and wrong arguments are refused.
func TestWorld(t *testing.T) {
	w := begin(1, 0.3, -0.5, 0.2)
	var chances []float64
	for range missions {
		chances = append(chances, w.next())
	}
	if n := uses(w, 1, trial.Harmful); n == 0 || n > 2*goal {
		t.Errorf("found after %d missions with it", n)
	}
	if n := uses(w, 0, trial.Harmful); n != 0 {
		t.Errorf("the useless one was called harmful after %d", n)
	}
	again := begin(1, 0.3, -0.5, 0.2)
	again.all[1].archive = 0
	for i := range missions {
		chance := again.next()
		if a, b := w.past[i], again.past[i]; a.Model != b.Model || a.Uses[0].For != b.Uses[0].For {
			t.Fatalf("mission %d is another one: %+v, %+v", i, a, b)
		}
		if chances[i] = chance - chances[i]; chances[i] < 0 && !strings.HasPrefix(w.past[i].Task, acts()[1]) {
			t.Fatalf("mission %d of another step changed by %g", i, chances[i])
		}
	}
	if err := run([]string{"-runs", "0"}, &bytes.Buffer{}); err == nil {
		t.Error("no runs were accepted")
	}
}
