package tracked

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/assent-dev/assent/engine/base/tree"
)

// drawFiles draws some files, or a change of them.
func drawFiles(r *rapid.T, label string, from []tree.Edit) []tree.Edit {
	paths := []string{"SKILL.md", "a.md", "dir/b.md", "dir", "dir/deep/c.md", "scripts/run"}
	files := map[string]tree.Edit{}
	for _, e := range from {
		files[e.Path] = e
	}
	for range rapid.IntRange(0, 4).Draw(r, label) {
		p := rapid.SampledFrom(paths).Draw(r, label+" path")
		if rapid.Bool().Draw(r, label+" removes") {
			delete(files, p)
			continue
		}
		lines := strings.SplitAfter(string(files[p].Content), "\n")
		at := rapid.IntRange(0, len(lines)).Draw(r, label+" at")
		line := rapid.SampledFrom([]string{"one\n", "two\n", "three\n", label + "\n"}).Draw(r, label+" line")
		files[p] = tree.Edit{Path: p, Mode: tree.Regular, Content: []byte(strings.Join(slices.Insert(lines, at, line), ""))}
	}
	for p := range files { // no file can have files below it
		for q := range files {
			if strings.HasPrefix(q, p+"/") {
				delete(files, q)
			}
		}
	}
	var out []tree.Edit
	for _, p := range paths {
		if e, ok := files[p]; ok {
			out = append(out, e)
		}
	}
	return out
}

func contents(files []tree.Edit) map[string]string {
	out := map[string]string{}
	for _, e := range files {
		out[e.Path] = string(e.Content)
	}
	return out
}

// applied is ours with edits; a removal has to remove something.
func applied(r *rapid.T, ours, edits []tree.Edit) map[string]string {
	out := contents(ours)
	for _, e := range edits {
		if e.Remove {
			delete(out, e.Path)
		} else {
			if e.Content == nil {
				r.Fatalf("%s has no content", e.Path)
			}
			out[e.Path] = string(e.Content)
		}
	}
	return out
}

// The comparison takes each change of one side, leaves what both agree on, and names every file that
// both changed differently and that cannot be merged.
func TestThreeWayProperties(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		base := drawFiles(r, "base", nil)
		ours, theirs := drawFiles(r, "ours", base), drawFiles(r, "theirs", base)
		b, o, h := contents(base), contents(ours), contents(theirs)
		for _, take := range []string{"", Ours, Theirs} {
			m, err := threeWay(base, ours, theirs, take)
			if err != nil {
				r.Fatal(err)
			}
			got := applied(r, ours, m.edits)
			for _, p := range []string{"SKILL.md", "a.md", "dir/b.md", "dir", "dir/deep/c.md", "scripts/run"} {
				was, inBase := b[p]
				here, inOurs := o[p]
				there, inTheirs := h[p]
				now, have := got[p]
				ourChange, theirChange := was != here || inBase != inOurs, was != there || inBase != inTheirs
				same := func(text string, is bool) bool { return now == text && have == is }
				conflict := slices.Contains(m.conflicts, p)
				switch {
				case conflict && inOurs && inTheirs && take != "": // the lines of the side, and those that only the other changed
					mark, chosen := "ours\n", here
					if take == Theirs {
						mark, chosen = "theirs\n", there
					}
					if !have || strings.Count(now, mark) < strings.Count(chosen, mark) {
						r.Fatalf("%q: take %q gives %q of ours %q, theirs %q", p, take, now, here, there)
					}
				case conflict && take == Theirs && !same(there, inTheirs), conflict && take != Theirs && !same(here, inOurs):
					r.Fatalf("%q: take %q gives %q of ours %q, theirs %q", p, take, now, here, there)
				case conflict:
				case !theirChange && !same(here, inOurs):
					r.Fatalf("%q: the source did not change it, and it becomes %q instead of %q", p, now, here)
				case theirChange && !ourChange && !same(there, inTheirs):
					r.Fatalf("%q: only the source changed it, and it becomes %q instead of %q", p, now, there)
				case ourChange && theirChange && (inOurs != inTheirs) && here != there:
					r.Fatalf("%q: one side removed what the other changed, and it is no conflict", p)
				}
				if !conflict && inOurs && inTheirs && have {
					for _, s := range []struct{ line, side string }{{"ours\n", here}, {"theirs\n", there}} {
						if strings.Count(now, s.line) < strings.Count(s.side, s.line) && ourChange && theirChange {
							r.Fatalf("%q: %q lost a line of %q", p, now, s.side)
						}
					}
				}
			}
		}
	})
}
