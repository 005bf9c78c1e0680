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
// no observed failure. An agent counts for half as much as all others together at most: one alone, or one
// against all others, neither sinks a skill nor lifts it. Its reports rank (Of). A failed call that was the
// caller's fault has no outcome and counts for nothing.
//
// The results with the model decide if there are enough, else those with all models.
func (b *Book) LinkRate(name string, v capability.Version, t Trust, model string) *float64 {
	seen, claims := b.Observed(name, v, t), b.claims(name, v, t)
	for _, of := range []func(Standing) Tally{
		func(s Standing) Tally { return s.Models[model] },
		func(s Standing) Tally { return s.Tally },
	} {
		if rate := lower(of(seen), of(seen).plus(bounded(claims, of))); rate != nil {
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

// claims returns what each agent reports of itself through known writers. Writers have their bounds.
func (b *Book) claims(name string, v capability.Version, t Trust) map[string]Standing {
	said, by := map[Writer]Standing{}, map[Writer]map[string]Counts{}
	claim := func(k Key) hearing {
		if _, judged := k.Level.satisfaction(); judged || k.Source != Self {
			return unheard
		}
		return heard
	}
	for w, c := range b.by[name] {
		if !t.known(w) {
			continue
		}
		by[w] = map[string]Counts{}
		for k, n := range c {
			if k.Version == v && claim(k) == heard {
				if by[w][k.Agent] == nil {
					by[w][k.Agent] = Counts{}
				}
				by[w][k.Agent][k] = n
			}
		}
		all := newStanding()
		said[w] = all.sum(c, v, claim)
	}
	factors, out := bounds(said, t), map[string]Standing{}
	for _, w := range slices.Sorted(maps.Keys(by)) { // sums of floats depend on their order
		for agent, c := range by[w] {
			s, known := out[agent]
			if !known {
				s = newStanding()
			}
			s.add(s.sum(c, v, claim), factors[w])
			out[agent] = s
		}
	}
	return out
}

// bounded adds up claims, each agent within its bound.
func bounded(claims map[string]Standing, of func(Standing) Tally) (sum Tally) {
	all := 0.0
	agents := slices.Sorted(maps.Keys(claims))
	for _, agent := range agents {
		all += of(claims[agent]).Tried()
	}
	for _, agent := range agents {
		if tally := of(claims[agent]); tally.Tried() > 0 {
			sum = sum.plus(tally.times(min(1, (all-tally.Tried())/2/tally.Tried())))
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
