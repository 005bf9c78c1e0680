package attacks_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/registry/trial"
)

func manyNameDefences() map[string]defence {
	return map[string]defence{"names-of-one-installation-are-one": {attack: "TestAttackManyNames"}}
}

// TestAttackManyNames: an agent that reports under many names through one installation neither has link leave a
// skill out nor keeps one that failed. Names are claims; the key of an installation is not.
func TestAttackManyNames(t *testing.T) {
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	own, ben := trial.WriterOf([]byte("own")), trial.WriterOf([]byte("ben"))
	trust := trial.Trust{Own: own, Listed: []trial.Writer{ben}}
	book := func(seen []trial.Outcome, by trial.Writer, names, each int, claim trial.Outcome, model string) *float64 {
		var b trial.Book
		put := func(w trial.Writer, batch string, all []trial.Observation) {
			var trials []trial.Trial
			var last trial.ID
			for _, o := range all {
				last = trial.Next(last, at, w)
				o.At, o.Level, o.Capability, o.Version, o.Model = at, trial.Followed, "bowline", "1.0.0", model
				trials = append(trials, trial.Trial{V: trial.FormatVersion, ID: last, Observation: o})
			}
			b.Put(w, batch, trial.Sum(trials))
		}
		var all, claims []trial.Observation
		for _, o := range seen {
			all = append(all, trial.Observation{Source: trial.Engine, Outcome: o})
		}
		for n := range names * each {
			claims = append(claims, trial.Observation{Source: trial.Self, Agent: fmt.Sprint("mallory-", n%max(names, 1)), Outcome: claim})
		}
		if by == own {
			all, claims = append(all, claims...), nil
		}
		put(own, "seen", all)
		put(ben, "claims", claims)
		return b.LinkRate("bowline", "1.0.0", trust, model)
	}
	text := func(rate *float64) string {
		if rate == nil {
			return "unknown"
		}
		return fmt.Sprint(*rate)
	}
	n := 0
	good := []trial.Outcome{trial.Success, trial.Success, trial.Success, trial.Success, trial.Failure}
	for _, seen := range [][]trial.Outcome{nil, good[:1], good[:2], good, {trial.Failure, trial.Failure, trial.Failure}} {
		for _, by := range []trial.Writer{own, ben} {
			for _, names := range []int{3, 4, 10, 200} {
				for _, each := range []int{1, 7} {
					for _, claim := range []trial.Outcome{trial.Success, trial.Failure} {
						model := []string{"", "small"}[n%2]
						n++
						before, after := text(book(seen, by, 0, 0, claim, model)), text(book(seen, by, names, each, claim, model))
						if before != after {
							t.Errorf(succeeded+"%d names with %d %s each turn %s into %s, after %v", names, each, claim, before, after, seen)
						}
					}
				}
			}
		}
	}
	if n < 100 {
		t.Errorf("%d variants", n)
	}
}
