package trial

import (
	"cmp"
	"maps"
	"strings"

	"github.com/assent-dev/assent/engine/base/order"
)

// Joint says that missions with two capabilities end worse than those with one of them.
type Joint struct {
	// A and B are folded names, A the lesser one.
	A, B string
	// Both counts the missions with both.
	Both int
	// OverA compares them with missions with A alone, OverB with B alone.
	OverA, OverB Contrast
	// Pairs is how many pairs of capabilities were tested. Each e-value is at least Proven times that.
	Pairs int
}

// Contrast sums up pairs of missions.
type Contrast struct {
	Pairs, Better, Worse int
	E                    float64
	// Shown are the newest pairs that ended worse with both.
	Shown []Pair
}

// leastBoth is how many missions with both are needed to test two capabilities.
const leastBoth = 10

// Joints finds pairs of the named capabilities with which missions, the oldest first, end worse than
// with either alone. So many pairs are tested that the e-value has to be Proven times their number:
// of workspaces without such a pair, at most one in 100 ever reports one.
func Joints(named map[string]bool, missions []Mission) (out []Joint) {
	both := map[[2]string]int{}
	of := map[*Mission]map[string]bool{}
	for i := range missions {
		m := &missions[i]
		of[m] = map[string]bool{}
		for _, u := range m.Uses {
			if named[u.Capability] {
				of[m][u.Capability] = true
			}
		}
		for a := range of[m] {
			for b := range of[m] {
				if a < b {
					both[[2]string{a, b}]++
				}
			}
		}
	}
	maps.DeleteFunc(both, func(_ [2]string, n int) bool { return n < leastBoth })
	tested := order.Sorted(maps.Keys(both), func(x, y [2]string) int {
		return cmp.Or(strings.Compare(x[0], y[0]), strings.Compare(x[1], y[1]))
	})
	for _, t := range tested {
		over := func(alone, with string) Contrast {
			p := compare(missions, func(m *Mission) (steps []string, joint, counts bool) {
				return m.stepsOf(alone), of[m][with], of[m][alone]
			})
			return Contrast{p.pairs, p.better, p.worse, p.evidence(), p.endedWorse}
		}
		j := Joint{t[0], t[1], both[t], over(t[0], t[1]), over(t[1], t[0]), len(tested)}
		if j.OverA.worse(j.Pairs) && j.OverB.worse(j.Pairs) {
			out = append(out, j)
		}
	}
	return out
}

// worse reports whether missions with both are shown to end worse.
func (c Contrast) worse(tested int) bool { return c.Worse > c.Better && c.E >= Proven*float64(tested) }
