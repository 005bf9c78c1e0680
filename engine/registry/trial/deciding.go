package trial

import (
	"maps"
	"slices"

	"github.com/assent-dev/assent/engine/format/capability"
)

// leastTried is how many trials decide that a skill is left out.
const leastTried = 3

// LinkRate is the share of successes by which link leaves a skill out; nil if too little is known.
// Nothing is inherited, and unknown writers and critics decide nothing.
//
// Failures are weighed against successes of the same origin: what the engine observed or a person said
// by itself, and then with what agents report. The lower share counts, so that claims of agents hide
// no observed failure. An agent counts for half as much as all others together at most, and so does an
// installation, whose agents have any names that its user gives them: one alone, or one against all others,
// neither sinks a skill nor lifts it. Reports rank (Of). A failed call that was the caller's fault has no
// outcome and counts for nothing.
//
// The results with the model decide if there are enough, else those with all models.
func (b *Book) LinkRate(name string, v capability.Version, t Trust, model string) *float64 {
	seen := b.Observed(name, v, t)
	for _, m := range []string{model, ""} {
		tally := seen.Models[m]
		if m == "" {
			tally = seen.Tally
		}
		if rate := lower(tally, tally.plus(b.claimed(name, v, t, m))); rate != nil {
			return rate
		}
	}
	return nil
}

// Observed returns the results of a version of a capability by known writers that the engine observed or a
// person said, and its uses in all their trials. Nothing is inherited.
func (b *Book) Observed(name string, v capability.Version, t Trust) Standing {
	return b.own(name, v, t, func(w Writer, k Key) hearing {
		_, judged := k.Level.satisfaction()
		switch {
		case !t.known(w), judged: // a critic's opinion decides nothing
			return unheard
		case k.Source == Self:
			return usesOnly
		}
		return heard
	})
}

// claimed adds up what agents report of themselves through known writers, with one model or with "" all, each
// agent and each writer within its bound.
func (b *Book) claimed(name string, v capability.Version, t Trust, model string) (sum Tally) {
	agents, writers, all := map[string]float64{}, map[Writer]float64{}, 0.0
	said := map[Writer]map[string]Count{}
	for w, c := range b.by[name] {
		by := map[string]Count{}
		for k, n := range c {
			if _, judged := k.Level.satisfaction(); k.Source == Self && k.Version == v && !judged && (model == "" || k.Model == model) && t.known(w) {
				by[k.Agent] = by[k.Agent].plus(n)
			}
		}
		for agent, n := range by { // whole and half trials: any order gives the same sums
			tried := n.tally().Tried()
			agents[agent], writers[w], all = agents[agent]+tried, writers[w]+tried, all+tried
		}
		said[w] = by
	}
	bound := func(tried float64) float64 { return min(1, (all-tried)/2/tried) }
	for _, w := range slices.Sorted(maps.Keys(said)) {
		for _, agent := range slices.Sorted(maps.Keys(said[w])) {
			if tally := said[w][agent].tally(); tally.Tried() > 0 {
				share := bound(agents[agent])
				//defence:names-of-one-installation-are-one
				share = min(share, bound(writers[w]))
				sum = sum.plus(tally.times(share))
			}
		}
	}
	return sum
}

// lower returns the lower share of successes of those with enough trials.
func lower(tallies ...Tally) (rate *float64) {
	for _, t := range tallies {
		if millionths(t.Tried()) < leastTried {
			continue
		}
		if r := millionths(t.Rate(0)); rate == nil || r < *rate {
			rate = &r
		}
	}
	return rate
}
