package resolution

import (
	"cmp"
	"math"
	"slices"

	"github.com/assent-dev/assent/engine/base/order"
)

// Tally counts tries, and those of them that gave a result. Neutral results are in neither
// count.
type Tally struct {
	Tried  int
	Passed int
}

// Way is one way to do something, with its results so far.
type Way struct {
	Name string
	All  Tally
	// Contexts are the tries that were made in a context, by its tag.
	Contexts map[string]Tally
}

// Scored is a way with its scores.
type Scored struct {
	Way
	// Score is Success + Affinity - Penalty, rounded to six decimals so that every machine
	// orders alike.
	Score float64
	// Success is the rate over all tries, from 0 to 1; Affinity the mean rate over the requested
	// tags, 0 without tags; Penalty is the deduction for poor tags.
	Success, Affinity, Penalty float64
	// Poor are the tags in which it mostly fails, Unknown those in which it was never tried.
	Poor, Unknown []string
}

// The figures of the formula.
const (
	poorBelow = 0.3
	poorCosts = 0.2
	// priorPassed of priorTried tries are thought to have been made before the first one.
	priorPassed, priorTried = 1, 2
)

// Success is the rate of a tally, with one success and one failure added (Laplace's rule of
// succession): an untried way has one half, and one success is not certainty.
func Success(t Tally) float64 { return float64(t.Passed+priorPassed) / float64(t.Tried+priorTried) }

// Of scores one way in the context of tags, each given once. It is the capability
// registry's context-aware resolution (row P5):
//
//	score = success + mean over the tags of the rate there (never tried there: 0)
//	                - 0.2 for each tag with a rate below 0.3 (never tried there: none)
//
// Without tags the score is the success (row P1: the default is the highest success). The rate
// in a context has no prior, so that one failure is enough to look elsewhere.
func Of(w Way, tags []string) Scored {
	s := Scored{Way: w, Success: Success(w.All)}
	for _, tag := range slices.Sorted(slices.Values(tags)) { // sums of floats depend on their order
		t := w.Contexts[tag]
		if t.Tried == 0 {
			s.Unknown = append(s.Unknown, tag)
			continue
		}
		rate := float64(t.Passed) / float64(t.Tried)
		s.Affinity += rate / float64(len(tags))
		if rate < poorBelow {
			s.Penalty += poorCosts
			s.Poor = append(s.Poor, tag)
		}
	}
	s.Score = rounded(s.Success + s.Affinity - s.Penalty)
	return s
}

// Rank scores several ways, the best first. Of two with one score the one with more tries
// comes first, and else the name decides.
func Rank(ways []Way, tags []string) []Scored {
	out := make([]Scored, 0, len(ways))
	for _, w := range ways {
		out = append(out, Of(w, tags))
	}
	order.Sort(out, func(a, b Scored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.All.Tried, a.All.Tried), cmp.Compare(a.Name, b.Name))
	})
	return out
}

func rounded(x float64) float64 { return math.Round(x*1e6) / 1e6 }
