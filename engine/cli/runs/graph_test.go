package runs

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// The graph of a run with many jobs fits each terminal, and names each job in its row. Where the output is no
// terminal, each row is one line.
func TestGraphFits(t *testing.T) {
	c := console.New(console.World{})
	var steps []run.Step
	var all []string
	for n := range 20 {
		s := run.Step{Name: fmt.Sprintf("job-%02d", n), Status: run.Did, MS: 1234}
		if n > 0 {
			s.Needs = []string{"job-00"}
		}
		steps, all = append(steps, s), append(all, s.Name)
	}
	steps = append(steps, run.Step{Name: "last", Needs: all})
	for width := 40; width <= 300; width++ {
		text := layers(c, steps, width)
		for line := range strings.Lines(text) {
			if wide := lipgloss.Width(strings.TrimRight(line, "\n")); wide > width {
				t.Fatalf("%d columns in %d: %q", wide, width, line)
			}
		}
		for _, s := range steps {
			if !strings.Contains(text, s.Name) {
				t.Fatalf("%d columns do not name %s:\n%s", width, s.Name, text)
			}
		}
		if rows := strings.Count(text, "↓"); rows != 2 {
			t.Fatalf("%d columns: %d rows follow", width, rows)
		}
	}
	if text := layers(c, steps, math.MaxInt); strings.Count(text, "\n") != 5 || strings.Contains(text, "…") {
		t.Errorf("whole: %q", text)
	}
}
