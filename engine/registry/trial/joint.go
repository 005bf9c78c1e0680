package trial

import (
	"cmp"
	"maps"
	"slices"
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
// with either alone, unless one of them does harm by itself. So many pairs are tested that the e-value has to be
// Proven times their number: of workspaces without such a pair, at most one in 100 ever reports one.
func Joints(named map[string]bool, missions []Mission) (out []Joint) {
	both := map[[2]string]int{}
	for i := range missions {
		var of []string
		for _, u := range missions[i].Uses {
			if named[u.Capability] {
				of = append(of, u.Capability)
			}
		}
		slices.Sort(of)
		of = slices.Compact(of)
		for n, a := range of {
			for _, b := range of[n+1:] {
				both[[2]string{a, b}]++
			}
		}
	}
	maps.DeleteFunc(both, func(_ [2]string, n int) bool { return n < leastBoth })
	tested := order.Sorted(maps.Keys(both), func(x, y [2]string) int {
		return cmp.Or(strings.Compare(x[0], y[0]), strings.Compare(x[1], y[1]))
	})
	for _, t := range tested {
		a, b := t[0], t[1]
		overA, overB := added(a, b, missions), added(b, a, missions)
		j := Joint{a, b, both[t], overA.contrast(), overB.contrast(), len(tested)}
		if j.OverA.worse(j.Pairs) && j.OverB.worse(j.Pairs) && !byItself(a, b, overB, missions) && !byItself(b, a, overA, missions) {
			out = append(out, j)
		}
	}
	return out
}

// byItself reports whether a capability does harm without the other one: that is shown, or seems so and is at
// least half of the harm that it does beside it. Then the joint use explains nothing that its own harm does not.
func byItself(name, other string, beside pairs, missions []Mission) bool {
	p := effect(name, missions, nil, other)
	return harms(p, Proven) || harms(p, doubt) && p.mean() <= beside.mean()/2
}

func (p pairs) contrast() Contrast {
	return Contrast{p.pairs, p.better, p.worse, p.evidence(), p.endedWorse}
}

// worse reports whether missions with both are shown to end worse.
func (c Contrast) worse(tested int) bool { return c.Worse > c.Better && c.E >= Proven*float64(tested) }
