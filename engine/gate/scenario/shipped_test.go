package scenario_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/scenario"
)

// shipped is the repository's policies/, scenarios included.
func shipped(t testing.TB) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, pattern := range []string{"policies/*.yaml", "policies/scenarios/*.yaml"} {
		found, err := filepath.Glob("../../../" + pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(found), err)
		}
		for _, path := range found {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			rel, _ := filepath.Rel("../../..", path)
			files[filepath.ToSlash(rel)] = string(data)
		}
	}
	return files
}

func TestShippedScenariosHold(t *testing.T) {
	view := tree.MapOf(shipped(t))
	p, ds := policy.Load(view)
	files, found, err := scenario.Load(view)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range append(ds, found...) {
		t.Error(d)
	}
	tiers := map[policy.Tier]bool{}
	for _, f := range files {
		for _, r := range tried(t, p, f) {
			tiers[r.Risk.Tier] = true
			for _, d := range r.Failures {
				t.Errorf("%s\n%s", d, d.Fix)
			}
		}
	}
	for _, want := range []policy.Tier{policy.Low, policy.Medium, policy.High, policy.Critical, policy.Prohibited} {
		if !tiers[want] {
			t.Errorf("no scenario is %s", want)
		}
	}
}
