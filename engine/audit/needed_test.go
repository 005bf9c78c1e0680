package audit_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/audit"
)

// TestRulesAreNeeded finds which rules detect mutations of every kind: it switches off
// each rule that detects a mutation, until none does. So the mutator can fail: without
// those rules, each of these mutations passes.
//
// Before its first break a rule has no effect. Continuing from there therefore equals
// verifying from the beginning without the rule, and costs one walk for all rules.
func TestRulesAreNeeded(t *testing.T) {
	m := newMutated(t)
	chosen, to := m.chosen(rand.New(rand.NewPCG(seedOf(t), 0)), 1000)
	catches, frees := map[string]map[string]bool{}, map[string]map[string]bool{}
	tried := map[string]int{}
	for i, c := range chosen {
		if tried[c.family()]++; tried[c.family()] > 2 || c.harmless() {
			continue
		}
		m.place(to[i].refs)
		last := ""
		off := map[string]bool{}
		how, _ := m.verify(func(b *audit.Break) bool {
			m.readable(b)
			if !off[b.Rule] {
				last, off[b.Rule] = b.Rule, true
				note(catches, b.Rule, c.family())
			}
			return true
		})
		if last != "" && (how == nothing || how == told) { // anything else is an error, which does not belong to a rule
			note(frees, last, c.family())
		}
	}
	for _, rule := range slices.Sorted(maps.Keys(audit.Rules())) {
		t.Logf("%s finds %s", rule, strings.Join(slices.Sorted(maps.Keys(catches[rule])), ", "))
		if catches[rule] == nil {
			t.Errorf("no mutation meets %s", rule)
		}
	}
	for _, rule := range slices.Sorted(maps.Keys(frees)) {
		t.Logf("without %s, the last in its way, passes %s", rule, strings.Join(slices.Sorted(maps.Keys(frees[rule])), ", "))
	}
	if len(frees) < 2 {
		t.Error("whatever is switched off, nothing passes: the mutator cannot fail")
	}
}

// family returns the kind without the details.
func (c mutation) family() string {
	first, _, _ := strings.Cut(c.kind, " ")
	switch {
	case c.role == "genesis commit", c.role == "attestation", c.role == "report":
		return c.kind + " of the " + c.role
	case first == "field":
		return "field of " + c.role
	case first == "trailer" && c.role == "merge commit":
		return c.kind + " of a merge"
	}
	if first == "trailer" && !strings.HasSuffix(c.kind, "dropped") && !strings.HasSuffix(c.kind, "twice") {
		return "trailer"
	}
	return c.kind
}

func note(in map[string]map[string]bool, key, value string) {
	if in[key] == nil {
		in[key] = map[string]bool{}
	}
	in[key][value] = true
}
