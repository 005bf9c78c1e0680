package capability_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
)

// TestOverlayIsListing: an overlay gives the same answers as listing the changed tree,
// and the same diagnostics about changed folders.
func TestOverlayIsListing(t *testing.T) {
	dirs := []string{"skills/a", "skills/a/x", "skills/a/X", "skills/a-b/y", "skills/b", "skills/b/x_y", "skills/b/x-y", "skills/b/x/deep", "skills/b/x/deep/er"}
	files := []string{"SKILL.md", "SKILL.md", "skill.md", "capability.yaml", "scripts/main.py", "notes.md"}
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) map[string]string {
			out := map[string]string{"README.md": name}
			for range rapid.IntRange(0, 9).Draw(t, name) {
				out[rapid.SampledFrom(dirs).Draw(t, "dir")+"/"+rapid.SampledFrom(files).Draw(t, "file")] = rapid.SampledFrom([]string{"1", "2"}).Draw(t, "text")
			}
			return out
		}
		before, after := draw("before"), draw("after")
		for path, text := range before {
			if rapid.Bool().Draw(t, "stays") {
				after[path] = text
			}
		}
		base, head := tree.MapOf(before), tree.MapOf(after)
		changes, err := tree.Diff(base, head)
		if err != nil {
			t.Fatal(err)
		}
		o, err := capability.NewOverlay(capability.NamerOf(base), base, head, changes)
		if err != nil {
			t.Fatal(err)
		}
		listed := capability.NamerOf(head)
		for _, name := range []string{"a", "x", "b", "x-y", "deep", "er", "y", "none"} {
			want, err := listed.Named(name)
			if err != nil {
				t.Fatal(err)
			}
			got, err := o.Named(name)
			if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" || err != nil {
				t.Fatalf("%s (-listed +overlay) %v\n%s\n%v\n%v", name, err, d, before, after)
			}
		}
		_, all, err := capability.Folders(head)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(about(all, changes), about(o.Diagnostics, changes), cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("findings (-listed +overlay)\n%s\n%v\n%v", d, before, after)
		}
	})
}

// about returns the diagnostics at changed files.
func about(all diag.List, changes []tree.Change) diag.List {
	var out diag.List
	for _, d := range all {
		for _, c := range changes {
			if c.Path == d.File {
				out = append(out, d)
			}
		}
	}
	return out
}
