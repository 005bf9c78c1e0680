package trial

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// wordedAs is a mission of a kind, in a wording of its own unless it is plain.
func wordedAs(n int, act string, plain bool) Mission {
	m := Mission{ID: fmt.Sprint(n), Model: "large", Task: act, Outcome: Failure}
	if !plain {
		names := []string{"Ada", "Bob", "Cleo", "Dan", "Eve", "Finn", "Gita", "Hugo", "Ines", "Jon", "Kim", "Lea", "Max"}
		places := []string{"mill", "market", "old harbour", "town hall", "station"}
		forms := []string{"%s for %s at the %s, order %d", "please %s of %s from the %s by day %d", "we need to %s for %s in the %s until %d", "%s with %s at the %s %d"}
		m.Task = fmt.Sprintf(forms[n%len(forms)], act, names[n%len(names)], places[n%len(places)], n)
	}
	return m
}

func (m *Mission) takes(linked bool, name string) {
	u := MissionUse{Capability: name, Followed: 1}
	if linked {
		u.For = strings.ToLower(m.Task)
	}
	m.Uses = append(m.Uses, u)
}

// TestWordings: missions with the same steps pair even if each has its own wording, as missions with one text do. So do
// missions that used a capability without a link. Steps of another kind do not pair.
func TestWordings(t *testing.T) {
	for _, linked := range []bool{true, false} {
		missions := func(plain bool) (out []Mission) {
			random := rand.New(rand.NewPCG(19, 1))
			for n := range 1040 {
				m := wordedAs(n, []string{"chase debtors", "knead dough"}[n%2], plain)
				m.takes(true, "base")
				if n%2 == 0 && random.IntN(4) == 0 {
					m.takes(linked, "it")
				}
				if random.Float64() < 0.8-0.45*float64(len(m.Uses)-1) {
					m.Outcome = Success
				}
				out = append(out, m)
			}
			return out
		}
		one, many := UtilityOf("it", missions(true), 0), UtilityOf("it", missions(false), 0)
		if one.Pairs < 100 || 10*many.Pairs < 9*one.Pairs || many.Verdict != Harmful {
			t.Errorf("linked %v: of one text %d pairs, of many %d, %q", linked, one.Pairs, many.Pairs, many.Verdict)
		}
		for _, p := range effect("it", missions(false), nil, "").all {
			if !strings.Contains(p.Without.Task, "chase debtors") || p.With.Task == p.Without.Task {
				t.Fatalf("%q is compared with %q", p.With.Task, p.Without.Task)
			}
		}
	}
	// A mission of two steps with what was not linked is compared with missions of both.
	two, one, both := wordedAs(1, "knead dough, then chase debtors", true), wordedAs(2, "knead dough", true), wordedAs(3, "knead dough, then chase debtors", true)
	two.takes(false, "it")
	one.takes(true, "base")
	both.takes(true, "base")
	if u := UtilityOf("it", []Mission{both, one, two}, 0); u.Pairs != 1 {
		t.Errorf("%+v", u)
	}
	if u := UtilityOf("it", []Mission{one, two}, 0); u.Pairs != 0 {
		t.Errorf("%+v", u)
	}
}

// TestWordingsByChance: a capability that changes nothing, used in hard kinds of missions more often than in easy ones, is
// hardly ever called harmful, although one looks again and again.
func TestWordingsByChance(t *testing.T) {
	acts := []string{"chase debtors", "knead dough", "send invoices", "weigh parcels"}
	const runs = 400
	called := 0
	for seed := range uint64(runs) {
		random := rand.New(rand.NewPCG(seed, 2))
		var all []Mission
		for n := range 300 {
			hard := random.IntN(len(acts))
			m := wordedAs(n, acts[hard], false)
			m.takes(true, "base")
			if random.IntN(8) <= 2*hard {
				m.takes(random.IntN(2) == 0, "it")
			}
			if random.Float64() < 0.95-0.25*float64(hard) {
				m.Outcome = Success
			}
			all = append(all, m)
		}
		for n := 60; n <= len(all); n += 60 {
			if v := UtilityOf("it", all[:n], 0).Verdict; v == Harmful || v == Helpful {
				called++
				break
			}
		}
	}
	if called > runs/100 {
		t.Errorf("%d of %d are called harmful or helpful", called, runs)
	}
}
