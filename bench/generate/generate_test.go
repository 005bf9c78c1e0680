package generate_test

import (
	"crypto/rand"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/bench/generate"
	"github.com/assent-dev/assent/engine/capability"
	"github.com/assent-dev/assent/engine/diag"
	"github.com/assent-dev/assent/engine/validate"
	"github.com/assent-dev/assent/engine/workspace"
)

func TestNamesAreUnique(t *testing.T) {
	seen := map[string]int{}
	for i := range 200_000 {
		name := generate.Name(i)
		if j, twice := seen[name]; twice {
			t.Fatalf("%d and %d are both called %s", j, i, name)
		}
		seen[name] = i
	}
}

func TestSameOptionsSameBytes(t *testing.T) {
	for _, i := range []int{0, 9, 123_456} {
		a, b := generate.Options{Seed: 1}.Capability(i), generate.Options{Seed: 1}.Capability(i)
		if d := cmp.Diff(a, b); d != "" {
			t.Error(d)
		}
		if c := (generate.Options{Seed: 2}).Capability(i); cmp.Equal(a, c) {
			t.Errorf("capability %d does not depend on the seed", i)
		}
	}
}

// What is generated is in force, reads without findings and passes validation.
func TestWorkspace(t *testing.T) {
	home := t.TempDir()
	t.Setenv("ASSENT_HOME", home)
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	o := generate.Options{N: 350, Seed: 7}
	made, err := o.Workspace(t.Context(), t.TempDir(), home)
	if err != nil {
		t.Fatal(err)
	}
	cur, err := workspace.Of(made.Repo, workspace.Surroundings{Now: generate.Began, Random: rand.Reader}).Current(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all, diags, err := capability.Registry(cur.View)
	if err != nil || len(all) != o.N {
		t.Fatalf("%d capabilities in force, want %d (%v)", len(all), o.N, err)
	}
	for _, d := range diags {
		t.Error(d)
	}
	out, err := validate.Run(validate.Begin(cur.View, workspace.Schedule))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range out.Report.Diagnostics {
		if d.Severity != diag.Note {
			t.Error(d)
		}
	}
}
