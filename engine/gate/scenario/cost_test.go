package scenario

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/policy"
)

const small = `tiers: {low: [], medium: [{role: lead, count: 1}], high: [{role: human, count: 1}], critical: [{role: human, count: 2}]}
extra:
`

// withRules are policies with n rules of one condition, and scenarios to try them with.
func withRules(t *testing.T, n int, when string, scenarios int) (policy.Policies, []File) {
	t.Helper()
	rules, tried := small, "people: {ann: [human]}\nagents: {scout: []}\nscenarios:\n"
	for i := range n {
		rules += fmt.Sprintf("  - {name: r%d, when: %s, needs: [{role: human, count: 1}]}\n", i, when)
	}
	for i := range scenarios {
		tried += fmt.Sprintf("  - {name: s%d, facts: {}, expect: {outcome: waiting}}\n", i)
	}
	p, ds := policy.Load(tree.MapOf(map[string]string{policy.ApprovalsFile: rules}))
	if ds.HasErrors() || len(p.Approvals.Extra) != n {
		t.Fatal(ds)
	}
	f, found := Parse("s.yaml", []byte(tried))
	if len(found) > 0 {
		t.Fatal(found)
	}
	return p, []File{f}
}

// All evaluations share one budget, and the dearest rule is named.
func TestCostOfAllConditionsIsBounded(t *testing.T) {
	const few = "[1,2,3,4,5,6,7,8,9,10]"
	loop := "'" + few + ".all(a, " + few + ".all(b, " + few + ".all(c, " + few + ".all(d, a+b+c+d > 0))))'"
	p, files := withRules(t, 10, loop, 200)
	const limit = 1_000_000
	got, ds, err := try(nil, p, files, policy.NewBudget(limit))
	if err != nil || len(ds) != 1 || ds[0].Rule != RuleCost || ds[0].Pos.File != policy.ApprovalsFile || ds[0].Pos.Line != 3 || len(got) >= 10 {
		t.Errorf("%d results, %v %v", len(got), ds, err)
	}
	if _, again, _ := try(nil, p, files, policy.NewBudget(limit)); !reflect.DeepEqual(again, ds) {
		t.Errorf("another answer the second time: %v", again)
	}
	p, files = withRules(t, 20, "{touches: ["+strings.Repeat("a/*, ", 1000)+"b]}", 200)
	if _, ds, _ := try(nil, p, files, policy.NewBudget(limit)); len(ds) != 1 || ds[0].Rule != RuleCost {
		t.Errorf("lists of patterns: %v", ds)
	}
	p, files = withRules(t, 100, loop, 200)
	if _, ds, _ := Try(nil, p, files); len(ds) != 1 || ds[0].Rule != RuleCost {
		t.Errorf("as much as a proposal may take: %v", ds)
	}
}

// Interrupting stops between two scenarios.
func TestTryStops(t *testing.T) {
	p, files := withRules(t, 1, "'true'", 2)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if got, _, err := Try(ctx.Err, p, files); !errors.Is(err, context.Canceled) || len(got) > 0 {
		t.Errorf("%d results, %v", len(got), err)
	}
}

// The shipped scenarios with the rules of docs/policies.md, ten times each, need a small part of
// the budget.
func TestShippedScenariosAreCheap(t *testing.T) {
	files := map[string]string{}
	for _, pattern := range []string{"policies/*.yaml", "policies/scenarios/*.yaml"} {
		found, _ := filepath.Glob("../../../" + pattern)
		for _, path := range found {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			rel, _ := filepath.Rel("../../..", path)
			files[filepath.ToSlash(rel)] = string(data)
		}
	}
	var rules strings.Builder
	for i := range 10 {
		for n, when := range []string{
			`hosts.exists(h, !h.endsWith(".example.org:443"))`, `soul.exists(s, s.agent != agent) && at_least(risk, "medium")`,
			`agent == "scout" && (size > 20000 || capabilities.exists(c, c.executable && c.chars > 5000))`,
		} {
			fmt.Fprintf(&rules, "\n  - {name: r%d-%d, when: '%s', needs: [{role: human, count: 1}]}", i, n, when)
		}
	}
	files[policy.ApprovalsFile] = strings.Replace(files[policy.ApprovalsFile], "extra: []", "extra:"+rules.String(), 1)
	view := tree.MapOf(files)
	p, _ := policy.Load(view)
	scenarios, _, err := Load(view)
	budget := policy.NewBudget(maxCost)
	got, ds, tryErr := try(nil, p, scenarios, budget)
	if err != nil || tryErr != nil || len(ds) > 0 || len(got) == 0 || budget.Spent() == 0 || budget.Spent() > maxCost/500 {
		t.Errorf("%d results took %d steps: %v %v %v", len(got), budget.Spent(), ds, err, tryErr)
	}
	t.Log(budget.Spent(), len(got))
}
