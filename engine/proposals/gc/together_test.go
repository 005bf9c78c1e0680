package gc_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/proposals/gc"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// ended is how a mission with some capabilities ended.
type ended struct {
	trial.Outcome
	with []string
}

// TestTogether: of two capabilities that missions use together, the one that harms is archived, both if both do; two that
// harm only together have a question; two that cannot be told apart stay, and both are named.
func TestTogether(t *testing.T) {
	good := func(with ...string) ended { return ended{trial.Success, with} }
	half := func(with ...string) ended { return ended{trial.Partial, with} }
	bad := func(with ...string) ended { return ended{trial.Failure, with} }
	for _, c := range []struct {
		name  string
		round []ended
		want  []string
	}{
		{"only together", []ended{good("moor"), bad("bowline", "clove"), good("bowline"), good("clove")}, []string{"conflict proposed", "archive kept bowline", "archive kept clove"}},
		{"a companion", []ended{good("moor"), bad("bowline", "clove"), good("moor"), bad("clove")}, []string{"archive proposed clove"}},
		{"a companion with uses of its own", []ended{good("moor"), bad("bowline", "clove"), good("moor"), bad("bowline", "clove"), good("moor"), bad("clove"), good("bowline")}, []string{"archive proposed clove"}},
		{"always together", []ended{good("moor"), bad("bowline", "clove")}, []string{"archive kept bowline", "archive kept clove"}},
		{"both", []ended{good("moor"), half("bowline"), good("moor"), half("clove"), good("moor"), bad("bowline", "clove")}, []string{"archive proposed bowline", "archive proposed clove"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := begin(t, last(slices.Concat(knots(20, 1000, "bowline", "clove"), skill("moor", "Tie up.", ""))))
			for range 20 {
				for _, m := range c.round {
					p.missions(1, m.Outcome, m.with...)
					p.Clock = p.Clock.Add(time.Hour)
				}
			}
			var got []string
			for _, r := range p.collect() {
				if r.Kind == gc.Conflict {
					r.Capability = ""
				}
				got = append(got, strings.TrimSpace(r.Kind+" "+r.Outcome+" "+r.Capability))
				if r.Outcome == gc.Kept && !strings.Contains(r.Reasons[0], "used together with it") {
					t.Errorf("%+v", r)
				}
			}
			slices.Sort(got)
			slices.Sort(c.want)
			if !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
