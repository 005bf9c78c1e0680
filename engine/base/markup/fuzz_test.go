package markup_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/markup"
)

func FuzzSplitFrontMatter(f *testing.F) {
	for _, s := range []string{"---\na: b\n---\nx", "\uFEFF---\r\n---\r\n", "---\n", "--- \t\nx\n---", "x"} {
		f.Add([]byte(s), "k", "v")
	}
	f.Fuzz(func(t *testing.T, src []byte, key, value string) {
		fm, _ := markup.SplitFrontMatter(src)
		if fm.Present && !bytes.Equal(fm.Source, src[fm.Offset:fm.Offset+len(fm.Source)]) {
			t.Fatal("the source is not where the offset says")
		}
		if line := 1 + bytes.Count(src[:fm.BodyOffset], []byte("\n")); fm.BodyOffset > 0 && src[fm.BodyOffset-1] == '\n' && line != fm.BodyLine {
			t.Fatalf("the body begins on line %d, not %d", line, fm.BodyLine)
		}
		if fm.BodyOffset < 0 || fm.BodyOffset > len(src) {
			t.Fatal("the body lies outside the source")
		}
		checkSections(t, src)
		out, ds := markup.EditFrontMatter("f", src, markup.KeyEdit{Key: key, Value: value})
		if ds.HasErrors() {
			if !bytes.Equal(out, src) {
				t.Fatal("a refused edit changed the source")
			}
			return
		}
		after, _ := markup.SplitFrontMatter(out)
		if !bytes.HasSuffix(src, out[after.BodyOffset:]) {
			t.Fatalf("the body changed: %q", out)
		}
		again, ds := markup.EditFrontMatter("f", out, markup.KeyEdit{Key: key, Value: value})
		if ds.HasErrors() || !bytes.Equal(out, again) {
			t.Fatalf("not idempotent: %v\n%q\n%q", ds, out, again)
		}
	})
}

func FuzzEditSection(f *testing.F) {
	doc := "---\na: b\n---\n# A\n\na\n\n## B\n- x\n\n### C\n\nT\n---\nc"
	f.Add([]byte(doc), "b", []byte("- y\n"), uint8(0))
	f.Add([]byte(doc), "c", []byte("x\n===\n"), uint8(1))
	f.Add([]byte(strings.ReplaceAll(doc, "\n", "\r\n")), "t", []byte("```\n# q\n```"), uint8(2))
	f.Add([]byte("- a\n\n  ## B\n# C"), "new", []byte("<!-- x -->"), uint8(2))
	f.Fuzz(func(t *testing.T, src []byte, name string, content []byte, mode uint8) {
		e := markup.SectionEdit{Section: name, Content: content, Mode: []string{markup.Append, markup.Replace, markup.Add}[mode%3]}
		if before, _ := markup.Sections(src); mode > 2 && len(before) > 0 && e.Mode != markup.Add {
			e.Section = before[int(mode)%len(before)].Title
		}
		out, ds := markup.EditSection("f", src, e)
		if ds.HasErrors() {
			if !bytes.Equal(out, src) {
				t.Fatal("a refused edit changed the source")
			}
			return
		}
		checkOutside(t, src, out, e)
	})
}

// checkOutside asserts that only the edited section changed.
func checkOutside(t *testing.T, src, out []byte, e markup.SectionEdit) {
	t.Helper()
	before, _ := markup.Sections(src)
	after, _ := markup.Sections(out)
	at := markup.Find(after, e.Section)
	// Content has no front matter: after a blank line none is recognised.
	if brought, _ := markup.Sections(slices.Concat([]byte("\n"), e.Content)); len(at) > 1 && len(markup.Find(brought, e.Section)) > 0 {
		return // the content has a deeper section of the same name, which is valid
	}
	if len(at) != 1 {
		t.Fatalf("%d sections %q in %q", len(at), e.Section, out)
	}
	s := after[at[0]]
	front, rear := s.Heading.Start, len(out)-s.Body.End
	if e.Mode == markup.Add {
		if !bytes.HasPrefix(out, bytes.TrimRight(src, " \t\r\n")) {
			t.Fatalf("text before the new section changed:\n%q\n%q", src, out)
		}
		return
	}
	old := before[markup.Find(before, e.Section)[0]]
	was, is := old.Heading.Of(src), s.Heading.Of(out)
	if old.Body.End == len(src) && !bytes.HasSuffix(src, []byte("\n")) {
		// A file without a final newline stays without one, so a heading whose text at the end
		// is added or removed gains or loses its line end.
		was, is = bytes.TrimRight(was, "\r\n"), bytes.TrimRight(is, "\r\n")
	}
	if !bytes.Equal(src[:old.Heading.Start], out[:front]) || !bytes.Equal(src[old.Body.End:], out[len(out)-rear:]) || !bytes.Equal(was, is) {
		t.Fatalf("bytes outside section %q changed:\n%q\n%q", e.Section, src, out)
	}
	if old.Body.Len() > 0 && e.Mode == markup.Replace && s.Level > 1 {
		back, ds := markup.EditSection("f", out, markup.SectionEdit{Section: e.Section, Mode: markup.Replace, Content: old.Body.Of(src)})
		text := len(bytes.TrimSpace(e.Content)) > 0 && len(bytes.TrimSpace(old.Body.Of(src))) > 0
		uniform := !bytes.Contains(src, []byte("\r"))
		if text && uniform && !ds.HasErrors() && !bytes.Equal(back, src) {
			t.Fatalf("putting the old text back gives other bytes:\n%q\n%q", src, back)
		}
	}
}
