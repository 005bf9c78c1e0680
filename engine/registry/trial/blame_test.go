package trial

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// kindOf is a kind of mission: what is used in it, how often it comes, and how likely its success is.
type kindOf struct {
	uses   []string
	share  int
	chance float64
}

// mixed returns n missions of these kinds.
func mixed(seed uint64, n int, kinds ...kindOf) (out []Mission) {
	random := rand.New(rand.NewPCG(seed, 9))
	var bag []kindOf
	for _, k := range kinds {
		for range k.share {
			bag = append(bag, k)
		}
	}
	for i := range n {
		k := bag[random.IntN(len(bag))]
		m := Mission{ID: fmt.Sprint(i), Model: "large", Outcome: Failure, Uses: []MissionUse{{Capability: "base", For: "clean"}}}
		for _, name := range k.uses {
			m.Uses = append(m.Uses, MissionUse{Capability: name, For: "clean", Tokens: 100})
		}
		if random.Float64() < k.chance {
			m.Outcome = Success
		}
		out = append(out, m)
	}
	return out
}

// TestBlame: of two that missions use together, what is the cause is called harmful, and the other one nothing; two that
// cannot be told apart are called unclear; two that harm only together are a pair and neither harms; two that both
// harm are no pair.
func TestBlame(t *testing.T) {
	for _, c := range []struct {
		name   string
		kinds  []kindOf
		a, b   string
		joint  bool
		least  int // of 20
		never  []string
		beside bool
	}{
		{name: "only together", a: "", b: "", joint: true, least: 18, never: []string{Harmful, Useless},
			kinds: []kindOf{{nil, 2, 0.8}, {[]string{"a"}, 1, 0.8}, {[]string{"b"}, 1, 0.8}, {[]string{"a", "b"}, 2, 0.1}}},
		{name: "both by themselves", a: Harmful, b: Harmful, least: 17,
			kinds: []kindOf{{nil, 2, 0.95}, {[]string{"a"}, 2, 0.5}, {[]string{"b"}, 2, 0.5}, {[]string{"a", "b"}, 2, 0.05}}},
		{name: "a companion", a: Harmful, b: "", least: 18, never: []string{Useless},
			kinds: []kindOf{{nil, 4, 0.9}, {[]string{"a"}, 2, 0.3}, {[]string{"a", "b"}, 3, 0.3}}},
		{name: "a frequent companion, sometimes alone", a: Harmful, b: "", least: 16, never: []string{Useless},
			kinds: []kindOf{{nil, 4, 0.9}, {[]string{"a"}, 2, 0.3}, {[]string{"b"}, 1, 0.9}, {[]string{"a", "b"}, 4, 0.3}}},
		{name: "always together", a: Unclear, b: Unclear, least: 20, never: []string{Harmful, Useless}, beside: true,
			kinds: []kindOf{{nil, 1, 0.9}, {[]string{"a", "b"}, 1, 0.3}}},
		{name: "apart", a: Harmful, b: "", least: 18,
			kinds: []kindOf{{nil, 2, 0.9}, {[]string{"a"}, 1, 0.3}, {[]string{"b"}, 1, 0.9}}},
		{name: "a companion of two that harm", a: Harmful, b: "", least: 16,
			kinds: []kindOf{{nil, 6, 0.9}, {[]string{"a"}, 3, 0.2}, {[]string{"c"}, 3, 0.2}, {[]string{"a", "b"}, 3, 0.2}, {[]string{"c", "b"}, 3, 0.2}, {[]string{"b"}, 1, 0.9}}},
		{name: "a companion that is nearly always there", a: Harmful, b: "", least: 18,
			kinds: []kindOf{{[]string{"b"}, 9, 0.9}, {[]string{"a", "b"}, 9, 0.3}, {nil, 1, 0.9}}},
	} {
		right, joints, wrong := 0, 0, 0
		got := map[string]int{}
		for seed := range uint64(20) {
			all := mixed(seed, 400, c.kinds...)
			a, b := UtilityOf("a", all, 0), UtilityOf("b", all, 0)
			pair := len(Joints(map[string]bool{"a": true, "b": true, "base": true}, all)) == 1
			got[a.Verdict+"/"+b.Verdict]++
			if pair {
				joints++
			}
			if b.Verdict == Helpful { // beside a harmful one that takes its place
				b.Verdict = ""
			}
			if a.Verdict == c.a && b.Verdict == c.b && pair == c.joint || c.joint && pair && a.Verdict != Harmful && b.Verdict != Harmful {
				right++
			}
			for _, n := range []int{60, 120, 200, 300, 400} { // as gc looks again and again
				a, b := UtilityOf("a", all[:n], 0).Verdict, UtilityOf("b", all[:n], 0).Verdict
				if a == Harmful && c.a != Harmful || b == Harmful && c.b != Harmful || slices.Contains(c.never, b) {
					wrong++
					break
				}
			}
			if c.beside && (!slices.Equal(a.Beside, []string{"b"}) || !slices.Equal(b.Beside, []string{"a"})) {
				t.Errorf("%s: beside %q and %q", c.name, a.Beside, b.Beside)
			}
		}
		t.Logf("%s: %v, %d pairs", c.name, got, joints)
		if right < c.least || wrong > 1 || !c.joint && joints > 1 {
			t.Errorf("%s: %d of 20 right, %d wrong, %d pairs: %v", c.name, right, wrong, joints, got)
		}
	}
}

// TestBlameByChance: companions that come by chance delay a verdict little.
func TestBlameByChance(t *testing.T) {
	var kinds []kindOf
	for set := range 64 {
		k := kindOf{share: 1, chance: 0.8}
		for i, name := range []string{"a", "b", "c", "d", "e", "f"} {
			if set>>i&1 == 1 {
				k.uses = append(k.uses, name)
			}
		}
		if set&1 == 1 {
			k.chance = 0.3
		}
		kinds = append(kinds, k)
	}
	found := 0
	for seed := range uint64(50) {
		all := mixed(seed, 120, kinds...)
		if UtilityOf("a", all, 0).Verdict == Harmful {
			found++
		}
		for _, name := range []string{"b", "c", "d", "e", "f"} {
			if v := UtilityOf(name, all, 0).Verdict; v == Harmful {
				t.Errorf("%d: %s is %s", seed, name, v)
			}
		}
	}
	if found < 42 {
		t.Errorf("%d of 50 found", found)
	}
}
