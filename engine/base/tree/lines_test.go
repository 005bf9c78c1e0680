package tree_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/assent-dev/assent/engine/base/tree"
)

func TestMergeLines(t *testing.T) {
	for _, tc := range []struct{ name, base, ours, theirs, want string }{
		{"both sides, far apart", "a\nb\nc\nd\n", "A\nb\nc\nd\n", "a\nb\nc\nD\n", "A\nb\nc\nD\n"},
		{"one line", "a\nb\n", "A\nb\n", "x\nb\n", "conflict"},
		{"neighbours", "a\nb\nc\n", "A\nb\nc\n", "a\nB\nc\n", "conflict"},
		{"the same", "a\nb\nc\n", "a\nX\nc\n", "a\nX\nc\n", "a\nX\nc\n"},
		{"the same and more", "a\nb\nc\nd\ne\n", "X\nb\nc\nd\ne\n", "X\nb\nc\nd\nE\n", "X\nb\nc\nd\nE\n"},
		{"two additions at one place", "a\n", "a\nx\n", "a\ny\n", "conflict"},
		{"a removal and a change of it", "a\nb\nc\n", "a\nc\n", "a\nB\nc\n", "conflict"},
		{"no line break at the end", "a\nb\nc", "A\nb\nc", "a\nb\nc\n", "A\nb\nc\n"},
		{"no text", "a\x00\nb\nc\nd\n", "A\x00\nb\nc\nd\n", "a\x00\nb\nc\nD\n", "conflict"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, ok := tree.MergeLines([]byte(tc.base), []byte(tc.ours), []byte(tc.theirs))
			if !ok {
				got = []byte("conflict")
			}
			if string(got) != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

// A merge is the same from both sides, keeps each side's new lines, and brings back no line that a
// side removed.
func TestMergeLinesProperties(t *testing.T) {
	text := rapid.Custom(func(r *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "\n", "long line\n"}), 0, 12).Draw(r, "lines"), "")
	})
	rapid.Check(t, func(r *rapid.T) {
		base := text.Draw(r, "base")
		change := func(mark string) string {
			lines := strings.SplitAfter(base, "\n")
			for range rapid.IntRange(0, 3).Draw(r, "edits "+mark) {
				i := rapid.IntRange(0, len(lines)).Draw(r, "at "+mark)
				if i < len(lines) && rapid.Bool().Draw(r, "removed "+mark) {
					lines = slices.Delete(lines, i, i+1)
				} else {
					lines = slices.Insert(lines, i, mark+"\n")
				}
			}
			return strings.Join(lines, "")
		}
		ours, theirs := change("ours"), change("theirs")
		got, ok := tree.MergeLines([]byte(base), []byte(ours), []byte(theirs))
		back, also := tree.MergeLines([]byte(base), []byte(theirs), []byte(ours))
		if ok != also || ok && string(got) != string(back) {
			r.Fatalf("%q from one side, %q from the other", got, back)
		}
		if same, ok := tree.MergeLines([]byte(base), []byte(base), []byte(theirs)); !ok || string(same) != theirs {
			r.Fatalf("without a change here: %q, want %q", same, theirs)
		}
		if !ok {
			return
		}
		for _, c := range []struct{ mark, side string }{{"ours\n", ours}, {"theirs\n", theirs}} {
			if strings.Count(string(got), c.mark) != strings.Count(c.side, c.mark) {
				r.Fatalf("%q has not the lines of %q", got, c.side)
			}
		}
		for _, line := range []string{"a\n", "b\n", "long line\n"} { // each side's removals are made
			n := func(s string) (n int) {
				for _, l := range strings.SplitAfter(s, "\n") {
					if l == line {
						n++
					}
				}
				return n
			}
			if n(string(got)) > n(base) {
				r.Fatalf("%q has more of %q than %q", got, line, base)
			}
		}
	})
}
