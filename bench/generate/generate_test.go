package generate_test

import (
	"crypto/rand"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/bench/generate"
	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/audit/maintain"
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/validate"
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
	cur, err := workspace.Of(made.Repo, workspace.Surroundings{Now: generate.Began, Random: rand.Reader}).Session(t.Context())
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

// Proposals that are copied read like the one that they are copies of, and fold.
func TestHistory(t *testing.T) {
	home := t.TempDir()
	t.Setenv("ASSENT_HOME", home)
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	o := generate.Options{N: 18, Seed: 7}
	made, err := o.Workspace(t.Context(), t.TempDir(), home)
	ok(t, err)
	ok(t, made.Merge(t.Context(), o, 22)) // two tools, and more than the shipped limit lets agents bring in
	ok(t, made.Close(t.Context(), generate.Options{N: 40, Seed: 7}, 300, 6))
	w := workspace.Of(made.Repo, workspace.Surroundings{Now: func() time.Time { return generate.Began().AddDate(0, 0, 1) }, Random: rand.Reader})
	closed, err := w.Forge.List(t.Context(), forge.Filter{State: forge.Closed})
	ok(t, err)
	heads := map[tree.Hash]bool{}
	for _, p := range closed {
		heads[p.Head] = true
		a, err := w.Forge.Activity(t.Context(), p.ID)
		ok(t, err)
		if len(a.Comments) != 2 || len(a.Statuses) != 1 || a.Statuses[0].Head != p.Head {
			t.Errorf("%s has %d comments and %d reports", p.ID, len(a.Comments), len(a.Statuses))
		}
	}
	if len(closed) != 300 || len(heads) != 300 {
		t.Errorf("%d closed proposals with %d heads, want 300", len(closed), len(heads))
	}
	cur, err := w.Session(t.Context())
	ok(t, err)
	out, err := maintain.Run(t.Context(), cur, maintain.Options{})
	ok(t, err)
	if out.Folded != 322 || len(out.Damaged) != 0 {
		t.Errorf("%d folded (%v), want all", out.Folded, out.Damaged)
	}
	res, err := audit.Verify(t.Context(), w, nil)
	ok(t, err)
	if res.Broken != nil || res.Merges != 22 {
		t.Errorf("%d merges, broken %v", res.Merges, res.Broken)
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
