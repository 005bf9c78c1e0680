package trial

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
	"time"
)

// missionsWith returns missions in which "it" is used every second time and changes the chance of success.
func missionsWith(random *rand.Rand, n int, base, lift float64) []Mission {
	var out []Mission
	for i := range n {
		m := Mission{ID: fmt.Sprint(i), Last: time.Unix(int64(i), 0), Model: "large", Outcome: Failure, Uses: []MissionUse{{Capability: "other", For: "clean"}}}
		chance := base
		if random.IntN(2) == 0 {
			m.Uses = append(m.Uses, MissionUse{Capability: "it", For: "clean", Tokens: 100})
			chance += lift
		}
		if random.Float64() < chance {
			m.Outcome = Success
		}
		out = append(out, m)
	}
	return out
}

// TestVerdicts: what makes missions fail is found in sixty missions with it, what helps is called helpful, and of
// many that change nothing hardly one is called anything although each is looked at after every mission.
func TestVerdicts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	found, helpful, alarms := 0, 0, 0
	for range 100 {
		if u := UtilityOf("it", missionsWith(random, 120, 0.8, -0.4), 0); u.Verdict == Harmful && u.Utility < 0 && u.Lift < -0.2 {
			found++
		}
		if u := UtilityOf("it", missionsWith(random, 120, 0.3, 0.5), 0); u.Verdict == Helpful && u.Utility > 0 {
			helpful++
		}
		all := missionsWith(random, 200, 0.6, 0)
		for n := range all {
			if v := UtilityOf("it", all[:n], 0).Verdict; v == Harmful || v == Helpful {
				alarms++
				break
			}
		}
	}
	if found < 80 || helpful < 95 || alarms > 1 {
		t.Errorf("of 100 each: %d harmful ones found, %d helpful ones, %d false alarms", found, helpful, alarms)
	}
}

// TestAtMost compares with the sum over all ways.
func TestAtMost(t *testing.T) {
	for n := 1; n <= 12; n++ {
		for k := n / 2; k < n; k++ {
			heads := 0
			for ways := range 1 << n {
				if bits.OnesCount(uint(ways)) <= k {
					heads++
				}
			}
			if got, want := atMost(k, n), float64(heads)/float64(int(1)<<n); math.Abs(got-want) > 1e-12 {
				t.Errorf("%d of %d: %g, want %g", k, n, got, want)
			}
		}
	}
}

// TestDrift: a capability is not blamed when all missions begin to fail. It is rare, so that many missions
// without it wait for one with it.
func TestDrift(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	blamed := 0
	for range 100 {
		var all []Mission
		for i := range 1000 {
			m := Mission{ID: fmt.Sprint(i), Model: "large", Outcome: Failure, Uses: []MissionUse{{Capability: "other", For: "clean"}}}
			if random.IntN(10) == 0 {
				m.Uses = append(m.Uses, MissionUse{Capability: "it", For: "clean"})
			}
			if random.Float64() < 0.9-0.6*float64(i/500) {
				m.Outcome = Success
			}
			all = append(all, m)
		}
		if UtilityOf("it", all, 0).Verdict == Harmful {
			blamed++
		}
	}
	if blamed > 3 {
		t.Errorf("blamed in %d of 100", blamed)
	}
}

// TestUseless: what changes nothing is called useless within some hundred missions, what helps a little is not.
func TestUseless(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	if u := UtilityOf("it", missionsWith(random, 300, 1, 0), 0); u.Verdict != "" {
		t.Errorf("where all missions succeed, nothing is known: %+v", u)
	}
	useless, wrong := 0, 0
	for range 100 {
		if UtilityOf("it", missionsWith(random, 300, 0.6, 0), 0).Verdict == Useless {
			useless++
		}
		if UtilityOf("it", missionsWith(random, 300, 0.5, 0.3), 0).Verdict == Useless {
			wrong++
		}
	}
	if useless < 40 || wrong > 1 {
		t.Errorf("of 100 each: %d useless ones found, %d that help called useless", useless, wrong)
	}
}

// TestLeastBetter: no chance of success, raised by Considerable, makes fewer of the pairs that differ end better.
func TestLeastBetter(t *testing.T) {
	least := 1.0
	for base := 0.0; base <= 1-Considerable; base += 1e-4 {
		better, worse := (base+Considerable)*(1-base), (1-base-Considerable)*base
		least = min(least, better/(better+worse))
	}
	if math.Abs(least-leastBetter) > 1e-6 {
		t.Errorf("%g, want %g", leastBetter, least)
	}
	random := rand.New(rand.NewPCG(9, 10))
	wrong := 0
	for range 500 {
		var p pairs
		for range 500 {
			if random.Float64() < leastBetter {
				p.better++
			} else {
				p.worse++
			}
			if p.without() >= Proven {
				wrong++
				break
			}
		}
	}
	if wrong > 9 {
		t.Errorf("a considerable lift is excluded in %d of 500, although one looks after every pair", wrong)
	}
}

// TestJoints: two capabilities that help alone and harm together are found; two of which one harms by itself
// are not a pair.
func TestJoints(t *testing.T) {
	missions := func(a, b, both float64) (out []Mission) {
		random := rand.New(rand.NewPCG(5, 6))
		for i := range 300 {
			m := Mission{ID: fmt.Sprint(i), Model: "large", Outcome: Failure, Uses: []MissionUse{{Capability: "a", For: "clean"}}}
			chance := a
			switch i % 3 {
			case 1:
				m.Uses[0].Capability, chance = "b", b
			case 2:
				m.Uses, chance = append(m.Uses, MissionUse{Capability: "b", For: "clean"}), both
			}
			if random.Float64() < chance {
				m.Outcome = Success
			}
			out = append(out, m)
		}
		return out
	}
	named := map[string]bool{"a": true, "b": true}
	got := Joints(named, missions(0.8, 0.8, 0.2))
	if len(got) != 1 || got[0].A != "a" || got[0].B != "b" || got[0].Both != 100 || got[0].OverA.Worse <= got[0].OverA.Better || got[0].OverB.E < Proven {
		t.Errorf("%+v", got)
	}
	for _, c := range [][3]float64{{0.8, 0.2, 0.2}, {0.2, 0.8, 0.2}, {0.5, 0.5, 0.5}, {0.3, 0.3, 0.8}} {
		if got := Joints(named, missions(c[0], c[1], c[2])); len(got) != 0 {
			t.Errorf("%v: %+v", c, got)
		}
	}
	if got := Joints(map[string]bool{"a": true}, missions(0.8, 0.8, 0.2)); len(got) != 0 {
		t.Errorf("of another: %+v", got)
	}
}

// TestUtility checks the formula, and that only missions of the same model, tags and kind of step are compared.
func TestUtility(t *testing.T) {
	with := func(m Mission) Mission {
		m.Uses = append(m.Uses, MissionUse{Capability: "it", For: "clean", Tokens: 1000})
		return m
	}
	at := func(model, tag, step string, o Outcome) Mission {
		return Mission{Model: model, Tags: []string{tag}, Outcome: o, Uses: []MissionUse{{Capability: "other", For: step}}}
	}
	u := UtilityOf("it", []Mission{
		at("large", "eu", "clean", Failure), with(at("large", "eu", "clean", Success)), // a pair, better
		at("small", "eu", "clean", Failure), at("large", "us", "clean", Failure), at("large", "eu", "send", Failure), with(at("large", "eu", "clean", Success)), // none
		at("large", "eu", "clean", Partial), // a pair with the one before, better by half
		at("large", "eu", "clean", Open),
	}, 0.1)
	if u.Pairs != 2 || u.Better != 2 || u.Worse != 0 || u.Missions != 8 || u.With != 2 || u.Unlinked != 2 {
		t.Errorf("%+v", u)
	}
	if u.Lift != 0.125 || u.Frequency != 0.25 || u.Tokens != 250 || u.Utility != millionths(0.125*0.25-0.0025-0.1) {
		t.Errorf("%+v", u)
	}
	if none := UtilityOf("it", nil, 0); none.Utility != 0 || none.E != 1 {
		t.Errorf("%+v", none)
	}
}
