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
	// Place is its place among the equally fit ones, from 1.
	Place int `json:"place"`
	// affinity is added to the draw, by which those of one group are ordered.
	affinity float64
	group    string
}

// Odds is the chance that a draw had to come first in its group, estimated by repeating it.
func (l Link) Odds(d Draw) float64 {
	const times = 400
	first := 0
	for n := range times {
		best, name := -1.0, ""
		for _, o := range l.Draws {
			if o.Step != d.Step || o.group != d.group {
				continue
			}
			if score := o.affinity + resolution.Draw(resolution.Tally{Tried: o.Tried, Passed: o.Passed}, fmt.Sprintf("odds\n%d\n%s", n, o.Name)); score > best {
				best, name = score, o.Name
			}
		}
		if name == d.Name {
			first++
		}
	}
	return float64(first) / times
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
		begin := len(c.out.Draws)
		for _, p := range at {
			f := ranked[p]
			d := Draw{
				Step: step, Name: f.Name, Draw: resolution.Draw(f.Resolution.All, fmt.Sprintf("%s\n%d\n%s", c.limits.Seed, step, f.Name)),
				Passed: f.Resolution.All.Passed, Tried: f.Resolution.All.Tried, affinity: f.Resolution.Affinity, group: f.Explore,
			}
			scores[f.Name] = d.Draw + d.affinity
			c.out.Draws, group = append(c.out.Draws, d), append(group, f)
		}
		order.Stable(group, func(a, b Found) int { return cmp.Compare(scores[b.Name], scores[a.Name]) })
		for n, p := range at {
			ranked[p] = group[n]
			for i := range c.out.Draws[begin:] {
				if d := &c.out.Draws[begin+i]; d.Name == group[n].Name {
					d.Place = n + 1
				}
			}
		}
	}
}
