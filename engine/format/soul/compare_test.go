package soul_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/assent-dev/assent/engine/base/markup"
	"github.com/assent-dev/assent/engine/format/soul"
)

const guarded = "# Kublai\n\nHi.\n\n## 🧭 1. Core Truths\n\nBe [kind].\n\n### Sub\n\nx\n\n## Skills\n\n- a\n\n## Boundaries\n\nNever lie.\n\nSafety Rules\n------------\n\nStay safe.\n\n## Brand identity guidelines\n\nblue\n\n[kind]: https://example.com\n"

func TestProtectedSections(t *testing.T) {
	var got []string
	for _, r := range soul.ProtectedSections([]byte(guarded), soul.DefaultProtected()) {
		got = append(got, fmt.Sprintf("%s:%d", r.Slug, r.Line))
	}
	if want := "core_truths:5 boundaries:17 safety_rules:21"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	for title, want := range map[string]bool{
		"core_truths": true, "**Core Truths**": true, "II. Boundaries": true, "3.2 safety-rules:": true, "Identity ✨": true,
		"Brand identity": false, "Core": false, "Boundaries of maps": false, "1": false,
	} {
		if soul.IsProtected(title, soul.DefaultProtected()) != want {
			t.Errorf("IsProtected(%q) is not %v", title, want)
		}
	}
}

func TestCompareProtected(t *testing.T) {
	replace := func(old, with string) string { return strings.Replace(guarded, old, with, 1) }
	for _, tc := range []struct {
		name, head string
		want       []string // line: beginning of the message
	}{
		{"nothing", guarded, nil},
		{"elsewhere", replace("- a", "- b\n- c"), nil},
		{"a section behind", guarded + "\n## More\n\nx\n", nil},
		{"quoted in code", replace("- a", "```\n## Boundaries\n```"), nil},
		{"changed", replace("Never lie.", "Lie."), []string{"19: changes"}},
		{"changed below", replace("### Sub\n\nx", "### Sub\n\ny"), []string{"11: changes"}},
		{"underline changed", replace("------------", "-------"), []string{"22: changes"}},
		{"removed", replace("## Boundaries\n\nNever lie.\n\n", ""), []string{"0: removes"}},
		{"renamed", replace("## Boundaries", "## Limits"), []string{"0: removes"}},
		{"doubled", replace("- a", "- a\n\n## boundaries\n\nnone"), []string{"17: adds"}},
		{"new", replace("- a", "- a\n\n### Identity\n\nnobody"), []string{"17: adds"}},
		{"new by underline", replace("- a", "- a\n\nIdentity\n---\n\nnobody"), []string{"17: adds"}},
		{"new behind a link definition", replace("- a", "- a\n\n[x]: y\nIdentity\n---\n\nnobody"), []string{"18: adds"}},
		{"in a fence", replace("## Boundaries\n\nNever lie.", "```\n## Boundaries\n\nNever lie.\n```"), []string{"18: hides"}},
		{"in a comment", replace("## Boundaries\n\nNever lie.", "<!--\n## Boundaries\n\nNever lie.\n-->"), []string{"18: hides"}},
		{"in a quotation", replace("## Boundaries\n\nNever lie.", "> ## Boundaries\n>\n> Never lie."), []string{"17: hides"}},
		{"in front matter", "---\n" + guarded + "---\n", []string{"6: hides", "18: hides", "22: hides"}},
		{"under another title", replace("## Boundaries", "# Old rules\n\n## Boundaries"), []string{"19: puts", "23: puts"}},
		{"imitated in HTML", replace("- a", "<h2>Boundaries</h2>"), []string{"15: imitates"}},
		{"imitated at level 5", replace("- a", "##### Boundaries"), []string{"15: imitates"}},
		{"imitated behind a carriage return", replace("- a", "x\r## Boundaries"), []string{"15: imitates"}},
		{"imitated by letters", replace("- a", "- a\n\n## Воundaries\n\nnone"), []string{"17: imitates"}},
		{"link redirected", replace("https://example.com", "https://evil.example"), []string{"5: changes where"}},
		{"link definition before it", replace("- a", "[kind]: https://evil.example"), []string{"5: changes where"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []string
			for _, d := range soul.CompareProtected("SOUL.md", []byte(guarded), []byte(tc.head), soul.DefaultProtected()) {
				if d.Rule != soul.RuleProtected || d.File != "SOUL.md" {
					t.Errorf("%v", d)
				}
				got = append(got, fmt.Sprintf("%d: %s", d.Line, d.Message))
			}
			if len(got) != len(tc.want) {
				t.Fatalf("got %v, want %v", got, tc.want)
			}
			for i, w := range tc.want {
				if !strings.HasPrefix(got[i], w) {
					t.Errorf("got %v, want %v", got, tc.want)
				}
			}
		})
	}
	if ds := soul.CompareProtected("f", nil, []byte(guarded), soul.DefaultProtected()); len(ds) > 0 {
		t.Errorf("a new soul: %v", ds)
	}
	if ds := soul.CompareProtected("f", []byte(guarded), []byte{}, soul.DefaultProtected()); len(ds) != 3 {
		t.Errorf("a deleted soul: %v", ds)
	}
}

// TestUnprotectedEditsPass: edits of other sections are never reported, whatever their
// text.
func TestUnprotectedEditsPass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := rapid.StringOf(rapid.RuneFrom([]rune("ab -*`~#>\n1.<!|\t é"))).Draw(t, "content")
		e := markup.SectionEdit{
			Section: rapid.SampledFrom([]string{"Skills", "Kublai", "Brand identity guidelines", "New"}).Draw(t, "section"),
			Mode:    rapid.SampledFrom([]string{markup.Add, markup.Append, markup.Replace}).Draw(t, "mode"),
			Content: []byte(content),
		}
		if e.Section == "Brand identity guidelines" {
			e.Mode = markup.Append // replacing it would remove the definition of a link in a protected section
		}
		head, ds := markup.EditSection("f", []byte(guarded), e)
		if ds.HasErrors() {
			return
		}
		if ds := soul.CompareProtected("f", []byte(guarded), head, soul.DefaultProtected()); len(ds) > 0 {
			t.Fatalf("%v for\n%s", ds, head)
		}
	})
}

// TestProtectedBytesCount: any changed byte in a protected section is reported.
func TestProtectedBytesCount(t *testing.T) {
	regions := soul.ProtectedSections([]byte(guarded), soul.DefaultProtected())
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom(regions).Draw(t, "region")
		text := strings.TrimRight(string(r.Span.Of([]byte(guarded))), "\n")
		at := r.Span.Start + rapid.IntRange(0, len(text)-1).Draw(t, "offset")
		head := []byte(guarded)
		b := rapid.Byte().Filter(func(b byte) bool { return b != head[at] }).Draw(t, "byte")
		switch rapid.IntRange(0, 2).Draw(t, "how") {
		case 0:
			head[at] = b
		case 1:
			head = append(head[:at:at], head[at+1:]...)
		case 2:
			head = append(append(head[:at:at], b), []byte(guarded)[at:]...)
			if at == r.Span.Start && (b == '\n' || b == '\r') {
				t.Skip("a line end before the heading belongs to the section before")
			}
		}
		if string(head) == guarded {
			t.Skip("the same byte again")
		}
		if ds := soul.CompareProtected("f", []byte(guarded), head, soul.DefaultProtected()); len(ds) == 0 {
			t.Fatalf("no report for\n%s", head)
		}
	})
}
