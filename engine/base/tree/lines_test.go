package tree_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
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
			got, ok := tree.MergeLines([]byte(tc.base), []byte(tc.ours), []byte(tc.theirs), "")
			if !ok {
				got = []byte("conflict")
			}
			if string(got) != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

// A chosen side holds for the lines in conflict only. Git gives the same.
func TestMergeLinesTake(t *testing.T) {
	for _, tc := range []struct{ name, base, ours, theirs, takeOurs, takeTheirs string }{
		{"one conflict, one change each", "a\nb\nc\nd\ne\nf\ng\n", "A\nb\nc\nx\ne\nf\ng\n", "a\nb\nc\ny\ne\nf\nG\n", "A\nb\nc\nx\ne\nf\nG\n", "A\nb\nc\ny\ne\nf\nG\n"},
		{"conflicts that touch each other", "a\nb\nc\nd\ne\nf\n", "a\nB\nC\nd\ne\nf\n", "a\nb\nx\ny\ne\nF\n", "a\nB\nC\nd\ne\nF\n", "a\nb\nx\ny\ne\nF\n"},
		{"a removal", "a\nb\nc\nd\ne\n", "a\nc\nd\ne\n", "a\nB\nc\nd\nE\n", "a\nc\nd\nE\n", "a\nB\nc\nd\nE\n"},
		{"two additions at one place", "a\nb\nc\n", "a\nx\nb\nc\n", "a\ny\nb\nC\n", "a\nx\nb\nC\n", "a\ny\nb\nC\n"},
		{"all new", "", "x\n", "y\n", "x\n", "y\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for take, want := range map[tree.Side]string{tree.Ours: tc.takeOurs, tree.Theirs: tc.takeTheirs} {
				if got, ok := tree.MergeLines([]byte(tc.base), []byte(tc.ours), []byte(tc.theirs), take); !ok || string(got) != want {
					t.Errorf("%s: %t %q, want %q", take, ok, got, want)
				}
				if got := mergeFile(t, tc.base, tc.ours, tc.theirs, take); got != want {
					t.Errorf("git merge-file --%s: %q, want %q", take, got, want)
				}
			}
		})
	}
}

func mergeFile(t *testing.T, base, ours, theirs string, take tree.Side) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"base": base, "ours": ours, "theirs": theirs} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("git", "merge-file", "-p", "--"+string(take), "ours", "base", "theirs")
	cmd.Dir = dir
	out, err := cmd.Output()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("git is not installed")
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
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
		got, ok := tree.MergeLines([]byte(base), []byte(ours), []byte(theirs), "")
		back, also := tree.MergeLines([]byte(base), []byte(theirs), []byte(ours), "")
		if ok != also || ok && string(got) != string(back) {
			r.Fatalf("%q from one side, %q from the other", got, back)
		}
		if same, ok := tree.MergeLines([]byte(base), []byte(base), []byte(theirs), ""); !ok || string(same) != theirs {
			r.Fatalf("without a change here: %q, want %q", same, theirs)
		}
		for _, c := range []struct {
			take         tree.Side
			mark, chosen string
		}{{tree.Ours, "ours\n", ours}, {tree.Theirs, "theirs\n", theirs}} {
			settled, is := tree.MergeLines([]byte(base), []byte(ours), []byte(theirs), c.take)
			if !is || ok && string(settled) != string(got) || strings.Count(string(settled), c.mark) != strings.Count(c.chosen, c.mark) {
				r.Fatalf("%s gives %t %q of %q and %q on %q", c.take, is, settled, ours, theirs, base)
			}
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
