package soul_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/assent-dev/assent/engine/format/soul"
)

func FuzzReadLearned(f *testing.F) {
	f.Add([]byte(seedForm))
	f.Add([]byte(lineForm))
	f.Add([]byte("## Learned Capabilities\n### Capability: a\n**Usage**:\n```\n**Status**: x\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		entries, ds := soul.ReadLearned(src)
		for _, d := range ds {
			if d.Line < 1 || d.Line > bytes.Count(src, []byte("\n"))+1 {
				t.Errorf("%v lies outside the source", d)
			}
		}
		for _, e := range entries {
			checkCanonical(t, e)
		}
	})
}

func FuzzWriteEntry(f *testing.F) {
	f.Add("a", "active", "d", "req", "```\nx\n```", "extra")
	f.Add("a b", "x · **Status**: y", "d · **Usage**: z", "``` x", "# h\n**Status**: x", "---")
	f.Add("`a`", "", "[x]: y", "<!-- x", "~~~", "<div>\n## x")
	f.Add("a", "active", "· **Usage**: z", "· **Status**: y", "· **Usage**: z", "x")
	f.Fuzz(func(t *testing.T, name, status, description, item, usage, extra string) {
		checkCanonical(t, soul.Entry{
			Name: name, Status: status, VerifiedBy: status, Learned: "2026-02-04", Description: description,
			Requirements: []string{item}, Limitations: []string{item, description}, Usage: usage, Extra: extra,
		})
	})
}

// checkCanonical checks that writing is a projection: the written text reads back as one
// entry, which writes the same bytes.
func checkCanonical(t *testing.T, e soul.Entry) {
	t.Helper()
	text := soul.WriteEntry(e)
	src := slices.Concat([]byte("# Soul\n\nme\n\n## Learned Capabilities\n\n"), text, []byte("\n## After\n\nx\n"))
	read, ds := soul.ReadLearned(src)
	if len(read) == 0 && !bytes.Contains(text, []byte("### Capability: \n")) {
		t.Fatalf("not read back: %q", text)
	}
	if len(read) == 0 {
		return
	}
	if len(read) != 1 || len(ds) > 0 {
		t.Fatalf("%q reads as %d entries with %v", text, len(read), ds)
	}
	if diff := cmp.Diff(string(text), string(soul.WriteEntry(read[0]))); diff != "" {
		t.Fatal(diff)
	}
	out, ds := soul.SetLearned([]byte("# Soul\n\nme\n"), e)
	if len(ds) > 0 {
		t.Fatalf("cannot be set: %v\n%s", ds, text)
	}
	again, _ := soul.ReadLearned(out)
	if diff := cmp.Diff(read, again, cmpopts.IgnoreFields(soul.Entry{}, "Span", "Line")); diff != "" {
		t.Fatal(diff)
	}
	if got := soul.WithoutEntries(out, all); string(got) != "# Soul\n\nme" && read[0].Extra == "" {
		t.Fatalf("WithoutEntries left %q", got)
	}
	removed, ds := soul.RemoveLearned(out, read[0].Name)
	if left, _ := soul.ReadLearned(removed); len(left) != 0 || len(ds) > 0 {
		t.Fatalf("not removed: %v %q", ds, removed)
	}
}
