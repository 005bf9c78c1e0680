package link

import (
	"cmp"
	"fmt"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/registry/resolution"
)

// Draw is a success that was sampled for one of several implementations that fit a step equally.
type Draw struct {
	Step int     `json:"step"`
	Name string  `json:"name"`
	Draw float64 `json:"draw"`
	// Passed of Tried successes are what the posterior rests on.
	Passed int `json:"passed"`
	Tried  int `json:"tried"`
}

// EquallyFit is the part of the best share among implementations that an equally fit one has.
const EquallyFit = 0.9

// explore orders implementations that fit equally by a draw from the posterior of each, so that one
// with few trials gets some. They exchange places among themselves only.
func (c *chooser) explore(ranked []Found, step int) {
	if c.limits.Seed == "" {
		return
	}
	best, places := map[string]float64{}, map[string][]int{}
	fits := func(f Found) bool {
		return f.Explore != "" && f.Unusable == "" && f.Share >= c.limits.Enough && f.Resolution.Penalty == 0
	}
	for _, f := range ranked {
		if fits(f) {
			best[f.Explore] = max(best[f.Explore], f.Share)
		}
	}
	for i, f := range ranked {
		if fits(f) && f.Share >= EquallyFit*best[f.Explore] {
			places[f.Explore] = append(places[f.Explore], i)
		}
	}
	for i, f := range ranked { // in the order of the search
		at := places[f.Explore]
		if len(at) < 2 || at[0] != i {
			continue
		}
		var group []Found
		scores := map[string]float64{}
		for _, p := range at {
			f := ranked[p]
			d := Draw{step, f.Name, resolution.Draw(f.Resolution.All, fmt.Sprintf("%s\n%d\n%s", c.limits.Seed, step, f.Name)), f.Resolution.All.Passed, f.Resolution.All.Tried}
			scores[f.Name] = d.Draw + f.Resolution.Affinity
			c.out.Draws, group = append(c.out.Draws, d), append(group, f)
		}
		order.Stable(group, func(a, b Found) int { return cmp.Compare(scores[b.Name], scores[a.Name]) })
		for n, p := range at {
			ranked[p] = group[n]
		}
	}
}
