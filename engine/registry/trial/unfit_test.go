package trial

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestUnfitFor: a model that a skill harms is named only where the skill helps the others.
func TestUnfitFor(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	world := func(with map[string]float64) (out []Mission) {
		for n := range 600 {
			m := Mission{ID: fmt.Sprint(n), Model: []string{"large", "small", ""}[n%3], Outcome: Failure}
			chance := 0.5
			if random.IntN(2) == 0 {
				m.Uses, chance = []MissionUse{{Capability: "it", Tokens: 10}}, with[m.Model]
			}
			if random.Float64() < chance {
				m.Outcome = Success
			}
			out = append(out, m)
		}
		return out
	}
	for _, c := range []struct {
		name string
		with map[string]float64
		want string
	}{
		{"it harms the small one", map[string]float64{"large": 0.9, "small": 0.1, "": 0.9}, "[small/harmful]"},
		{"it harms all", map[string]float64{"large": 0.1, "small": 0.1, "": 0.1}, "[]"},
		{"it helps all", map[string]float64{"large": 0.9, "small": 0.9, "": 0.9}, "[]"},
		{"an unknown model", map[string]float64{"large": 0.9, "small": 0.9, "": 0.1}, "[]"},
	} {
		got := []string{}
		for _, u := range UnfitFor("it", world(c.with)) {
			got = append(got, u.Model+"/"+u.Verdict)
			if u.Elsewhere <= 0 || u.Sentence() == "" {
				t.Errorf("%s: %+v", c.name, u)
			}
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s: %v, want %s", c.name, got, c.want)
		}
	}
}
