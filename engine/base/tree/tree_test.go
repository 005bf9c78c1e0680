package tree_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/assent-dev/assent/engine/base/tree"
)

// files draws a small set of files whose names collide often.
func files(t *rapid.T, label string) map[string]string {
	paths := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{
		"a", "b", "a.b", "a/x", "a/y", "a/y/z", "b/x", "c/d/e", "c/d-e", "c/d.e",
	}), 0, 7, rapid.ID[string]).Draw(t, label)
	out := map[string]string{}
	for _, p := range paths {
		clash := false
		for q := range out {
			clash = clash || strings.HasPrefix(p, q+"/") || strings.HasPrefix(q, p+"/")
		}
		if !clash {
			out[p] = rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, label+p)
		}
	}
	return out
}

// apply applies edits to a map of files.
func apply(base map[string]string, edits []tree.Edit, read func(string) string) map[string]string {
	out := maps.Clone(base)
	for _, e := range edits {
		if e.Remove {
			delete(out, e.Path)
			continue
		}
		out[e.Path] = string(e.Content)
		if e.Content == nil {
			out[e.Path] = read(e.Path)
		}
	}
	return out
}

func TestDiffFindsExactlyWhatDiffers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := files(t, "a"), files(t, "b")
		changes, err := tree.Diff(tree.MapOf(a), tree.MapOf(b))
		if err != nil {
			t.Fatal(err)
		}
		got := maps.Clone(a)
		seen := map[string]bool{}
		for _, c := range changes {
			if seen[c.Path] && a[c.Path] == b[c.Path] {
				t.Fatalf("%s is listed and does not differ", c.Path)
			}
			seen[c.Path] = true
			if c.Removed() {
				delete(got, c.Path)
			} else {
				got[c.Path] = b[c.Path]
			}
		}
		if d := cmp.Diff(b, got); d != "" {
			t.Fatalf("applying the difference does not give b:\n%s", d)
		}
	})
}

func TestMergeTakesBothSides(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, ours, theirs := files(t, "base"), files(t, "ours"), files(t, "theirs")
		edits, conflicts, err := tree.Merge(tree.MapOf(base), tree.MapOf(ours), tree.MapOf(theirs), nil)
		if err != nil {
			t.Fatal(err)
		}
		got := apply(ours, edits, func(p string) string { return theirs[p] })
		for p := range union(base, ours, theirs) {
			if slices.ContainsFunc(conflicts, func(c tree.Conflict) bool { return c.Path == p }) {
				continue
			}
			want, merged := ours[p], got[p]
			if ours[p] == base[p] {
				want = theirs[p]
			}
			if merged != want {
				t.Fatalf("%s: base %q, ours %q, theirs %q, merged %q", p, base[p], ours[p], theirs[p], merged)
			}
		}
		for _, c := range conflicts {
			if ours[c.Path] == theirs[c.Path] && ours[c.Path] != "" {
				t.Fatalf("%s: both sides are equal and yet in conflict", c.Path)
			}
		}
	})
}

func TestMergeOfUnchangedSideIsTheOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, theirs := files(t, "base"), files(t, "theirs")
		edits, conflicts, err := tree.Merge(tree.MapOf(base), tree.MapOf(base), tree.MapOf(theirs), nil)
		if err != nil || len(conflicts) > 0 {
			t.Fatalf("conflicts %v, error %v", conflicts, err)
		}
		if d := cmp.Diff(theirs, apply(base, edits, func(p string) string { return theirs[p] })); d != "" {
			t.Fatal(d)
		}
	})
}

func union(ms ...map[string]string) map[string]bool {
	out := map[string]bool{}
	for _, m := range ms {
		for p := range m {
			out[p] = true
		}
	}
	return out
}

func TestResolverSettlesConflicts(t *testing.T) {
	base, ours, theirs := tree.MapOf(map[string]string{"s": "b"}), tree.MapOf(map[string]string{"s": "o"}), tree.MapOf(map[string]string{"s": "t"})
	edits, conflicts, err := tree.Merge(base, ours, theirs, func(_ tree.Conflict, b, o, th []byte) ([]byte, bool) {
		return []byte(string(b) + string(o) + string(th)), true
	})
	if err != nil || len(conflicts) != 0 || len(edits) != 1 || string(edits[0].Content) != "bot" {
		t.Fatalf("edits %v, conflicts %v, error %v", edits, conflicts, err)
	}
}

func TestBlobHashIsGits(t *testing.T) {
	// echo hello | git hash-object --stdin
	if got := tree.BlobHash([]byte("hello\n")).String(); got != "ce013625030ba8dba906f756967f9e9ca394464a" {
		t.Fatal(got)
	}
}
