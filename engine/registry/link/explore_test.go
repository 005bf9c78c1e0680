package link_test

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/link"
	"github.com/assent-dev/assent/engine/registry/resolution"
)

// first links one step with a, b, and what else there is, and returns the first one.
func first(t *testing.T, seed string, found ...link.Found) (string, link.Link) {
	t.Helper()
	l, err := link.Choose([]link.Need{{Step: "parse it", Found: found}}, world{}, link.Limits{Each: 1, Enough: 0.25, Seed: seed})
	if err != nil || len(l.Linked) != 1 {
		t.Fatal(l, err)
	}
	return l.Linked[0].Name, l
}

func implementation(name string, share float64, tried, passed int) link.Found {
	c := link.Candidate{Name: name, Kind: capability.KindTool, Explore: "parse"}
	c.Resolution = resolution.Of(resolution.Way{Name: name, All: resolution.Tally{Tried: tried, Passed: passed}}, nil)
	return link.Found{Candidate: c, Share: share}
}

// beats is the chance that the success of a is above that of b, by integration over their posteriors.
func beats(a, b resolution.Tally) float64 {
	const steps = 20_000
	density := func(t resolution.Tally, x float64) float64 {
		beta, _ := math.Lgamma(float64(t.Tried + 2))
		p, _ := math.Lgamma(float64(t.Passed + 1))
		f, _ := math.Lgamma(float64(t.Tried - t.Passed + 1))
		return math.Exp(beta - p - f + float64(t.Passed)*math.Log(x) + float64(t.Tried-t.Passed)*math.Log(1-x))
	}
	below, out := 0.0, 0.0
	for i := range steps {
		x := (float64(i) + 0.5) / steps
		below += density(b, x) / steps
		out += density(a, x) / steps * below
	}
	return out
}

// TestExploreFollowsThePosterior: of 2 000 missions, as many begin with an implementation as the
// posteriors say; a mission with the same id is linked in the same way.
func TestExploreFollowsThePosterior(t *testing.T) {
	const missions = 2000
	for i, tc := range []struct{ a, b resolution.Tally }{
		{resolution.Tally{Tried: 10, Passed: 7}, resolution.Tally{Tried: 10, Passed: 5}},
		{resolution.Tally{Tried: 20, Passed: 16}, resolution.Tally{}},
		{resolution.Tally{}, resolution.Tally{}},
		{resolution.Tally{Tried: 400, Passed: 390}, resolution.Tally{Tried: 400, Passed: 100}},
		{resolution.Tally{Tried: 3, Passed: 0}, resolution.Tally{Tried: 1, Passed: 1}},
	} {
		won := 0
		for i := range missions {
			id := fmt.Sprintf("m-%d", i)
			a, b := implementation("a", 0.5, tc.a.Tried, tc.a.Passed), implementation("b", 0.48, tc.b.Tried, tc.b.Passed)
			name, l := first(t, id, a, b)
			if name == "a" {
				won++
			}
			if again, m := first(t, id, a, b); again != name || !reflect.DeepEqual(l, m) || len(l.Draws) != 2 {
				t.Fatalf("%s: %+v, then %+v", id, l, m)
			}
			if d := l.Draws[0]; (d.Place == 1) != (name == d.Name) || d.Place+l.Draws[1].Place != 3 {
				t.Fatalf("%s: %+v", id, l.Draws)
			}
			if other, _ := first(t, id, b, a); other != name {
				t.Fatalf("%s: the order of the answers decides", id)
			}
		}
		want := beats(tc.a, tc.b)
		if bound := 4 * math.Sqrt(want*(1-want)/missions); math.Abs(float64(won)/missions-want) > bound+0.001 {
			t.Errorf("%+v: %d of %d, want %.3f ± %.3f", tc, won, missions, want, bound)
		}
		_, l := first(t, fmt.Sprint("m-", i), implementation("a", 0.5, tc.a.Tried, tc.a.Passed), implementation("b", 0.48, tc.b.Tried, tc.b.Passed))
		for _, d := range l.Draws {
			odds := l.Odds(d)
			if d.Name == "b" {
				odds = 1 - odds
			}
			if math.Abs(odds-want) > 0.1 {
				t.Errorf("%+v: odds of a by those of %s %.3f, want %.3f", tc, d.Name, odds, want)
			}
		}
	}
}

// TestNeverExplored: without an id, with effects, and where one fits less, the best stays first.
func TestNeverExplored(t *testing.T) {
	good := implementation("good", 0.5, 20, 15)
	for what, change := range map[string]func(good, other *link.Found) (seed string){
		"no id":             func(*link.Found, *link.Found) string { return "" },
		"effects":           func(_, o *link.Found) string { o.Explore = ""; return "m" },
		"effects of both":   func(g, o *link.Found) string { g.Explore, o.Explore = "", ""; return "m" },
		"another signature": func(_, o *link.Found) string { o.Explore = "other"; return "m" },
		"fits less":         func(_, o *link.Found) string { o.Share = 0.4; return "m" },
		"unusable":          func(_, o *link.Found) string { o.Unusable = "stopped"; return "m" },
		"poor in the context": func(_, o *link.Found) string {
			o.Resolution.Penalty = 0.2
			return "m"
		},
	} {
		for i := range 1000 {
			g, other := good, implementation("other", 0.5, 0, 0)
			seed := change(&g, &other)
			if seed != "" {
				seed = fmt.Sprintf("m-%d", i)
			}
			if name, l := first(t, seed, g, other); name != "good" || len(l.Draws) > 0 {
				t.Fatalf("%s: %s is first, draws %+v", what, name, l.Draws)
			}
		}
	}
}
