package trial

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/assent-dev/assent/engine/format/capability"
)

// way is how a version of a capability does.
type way struct {
	Content
	rate, ms, cost float64
	tag            string
}

func wayOf(name, version string, rate, ms, cost float64) way {
	return way{Content{name, capability.Version(version)}, rate, ms, cost, ""}
}

// calls are n calls of ways by chance, of equal shares.
func calls(random *rand.Rand, n int, ways ...way) (out []*Kept) {
	for range n {
		w := ways[random.IntN(len(ways))]
		noise := math.Exp(random.NormFloat64() / 3)
		t := &Kept{Trial: Trial{Observation: Observation{Capability: w.Capability, Version: w.Version, Level: Followed, Source: Engine, Outcome: Failure, MS: int64(w.ms * noise), Cost: w.cost * noise}}}
		if random.Float64() < w.rate {
			t.Outcome = Success
		}
		if w.tag != "" {
			t.Tags = []string{w.tag}
		}
		out = append(out, t)
	}
	return out
}

// TestWorse: what does worse is named with what it is worse than and by which measure, and nothing else is.
func TestWorse(t *testing.T) {
	own, peers := Content{"it", "1.1.0"}, []Content{{"peer", "2.0.0"}}
	hard := wayOf("it", "1.1.0", 0.3, 500, 1)
	hard.tag = "hard"
	for _, c := range []struct {
		name string
		ways []way
		want string
	}{
		{"equal", []way{wayOf("it", "1.1.0", 0.8, 500, 1), wayOf("peer", "2.0.0", 0.8, 500, 1)}, "[]"},
		{"fails more often", []way{wayOf("it", "1.1.0", 0.4, 500, 1), wayOf("peer", "2.0.0", 0.95, 500, 1)}, "[peer/success]"},
		{"is slower", []way{wayOf("it", "1.1.0", 0.8, 1200, 1), wayOf("peer", "2.0.0", 0.8, 500, 1)}, "[peer/time]"},
		{"costs more", []way{wayOf("it", "1.1.0", 0.8, 500, 3), wayOf("peer", "2.0.0", 0.8, 500, 1)}, "[peer/cost]"},
		{"is better", []way{wayOf("it", "1.1.0", 0.95, 100, 1), wayOf("peer", "2.0.0", 0.4, 900, 3)}, "[]"},
		{"is slower by less than anyone waits for", []way{wayOf("it", "1.1.0", 0.8, 40, 1), wayOf("peer", "2.0.0", 0.8, 10, 1)}, "[]"},
		{"its former version was better", []way{wayOf("it", "1.1.0", 0.4, 500, 1), wayOf("it", "1.0.0", 0.95, 500, 1)}, "[it/success]"},
		{"another line is no former version", []way{wayOf("it", "1.1.0", 0.4, 500, 1), wayOf("it", "0.9.0", 0.95, 500, 1)}, "[]"},
		{"a later version is no former one", []way{wayOf("it", "1.1.0", 0.4, 500, 1), wayOf("it", "1.2.0", 0.95, 500, 1)}, "[]"},
		{"another one does something else", []way{wayOf("it", "1.1.0", 0.4, 500, 1), wayOf("other", "1.0.0", 0.95, 500, 1)}, "[]"},
		{"for other tags", []way{hard, wayOf("peer", "2.0.0", 0.95, 500, 1)}, "[]"},
	} {
		right := 0
		for seed := range uint64(20) {
			got := []string{}
			for _, w := range WorseThan(own, peers, calls(rand.New(rand.NewPCG(seed, 1)), 240, c.ways...)) {
				if w.E < w.Proof || w.Worse <= w.Better || w.Uses < LeastUses {
					t.Errorf("%s: %+v", c.name, w)
				}
				got = append(got, fmt.Sprintf("%s/%s", w.Than, w.By))
			}
			if fmt.Sprint(got) == c.want {
				right++
			}
		}
		if right < 19 {
			t.Errorf("%s: %d of 20 are %s", c.name, right, c.want)
		}
	}
}

// TestWorseByChance: of capabilities that do as well as two peers and a former version, less than one in 100 is
// named, although one looks again and again. In some worlds all of them become worse, and the peers are rare.
func TestWorseByChance(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	own, peers := Content{"it", "1.1.0"}, []Content{{"peer", "2.0.0"}, {"third", "1.0.0"}}
	former := Content{"it", "1.0.0"}
	for _, c := range []struct {
		name  string
		of    []Content // more often: more calls
		drift float64
	}{
		{"as often", []Content{own, former, peers[0], peers[1]}, 0},
		{"while all become worse", []Content{own, peers[0], peers[1]}, 1},
		{"of rare peers, while all become worse", []Content{own, own, own, own, own, own, own, peers[0], peers[1]}, 1},
	} {
		const worlds, most = 400, 400
		named := 0
		for range worlds {
			var all []*Kept
			for n := range most {
				worse := c.drift * float64(n) / most
				at := c.of[random.IntN(len(c.of))]
				all = append(all, calls(random, 1, way{at, 0.8 - 0.6*worse, 500 + 2000*worse, 1 + 4*worse, ""})...)
				if n%40 == 39 && len(WorseThan(own, peers, all)) > 0 {
					named++
					break
				}
			}
		}
		t.Logf("%s: %d of %d are named", c.name, named, worlds)
		if named*100 >= worlds {
			t.Errorf("%s: %d of %d are named", c.name, named, worlds)
		}
	}
}

// TestWorseCounts: too few calls, a failure that its caller repeats, and what is no call or has no result show nothing.
func TestWorseCounts(t *testing.T) {
	own, peers := Content{"it", "1.1.0"}, []Content{{"peer", "2.0.0"}}
	of := func(c Content, o Outcome, call string) *Kept {
		return &Kept{Trial: Trial{Observation: Observation{Capability: c.Capability, Version: c.Version, Level: Followed, Outcome: o, Call: call}}}
	}
	all := func(n int, change func(int, *Kept)) (out []*Kept) {
		for i := range n {
			it, peer := of(own, Failure, fmt.Sprint(i)), of(peers[0], Success, "")
			change(i, it)
			out = append(out, it, peer)
		}
		return out
	}
	got := WorseThan(own, peers, all(LeastUses, func(int, *Kept) {}))
	if len(got) != 1 || got[0].Pairs != LeastUses || got[0].Worse != LeastUses || got[0].Own != 0 || got[0].Other != 1 || got[0].Proof != 3*Proven {
		t.Errorf("%+v", got)
	}
	for name, change := range map[string]func(int, *Kept){
		"too few":    func(i int, u *Kept) { u.Version = map[bool]capability.Version{true: "1.2.0", false: u.Version}[i == 0] },
		"repeated":   func(_ int, u *Kept) { u.Call = "the same" },
		"no result":  func(_ int, u *Kept) { u.Outcome = Open },
		"only read":  func(_ int, u *Kept) { u.Level = Loaded },
		"a verdict":  func(_ int, u *Kept) { u.Level = Verdict },
		"elsewhere":  func(_ int, u *Kept) { u.Writer = "other" },
		"its method": func(_ int, u *Kept) { u.Method = "other" },
	} {
		if got := WorseThan(own, peers, all(LeastUses, change)); len(got) != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
