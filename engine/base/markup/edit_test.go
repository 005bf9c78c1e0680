package markup_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/markup"
)

func TestEditSection(t *testing.T) {
	const base = "# Soul\n\nHello.\n\n## Skills\n\n- one\n\n### Deep\n\nd\n\n## Next\ntext\n"
	for _, tc := range []struct {
		name, src string
		edit      markup.SectionEdit
		want      string
	}{
		{"append to a list keeps it tight", base, markup.SectionEdit{Section: "skills", Mode: "append", Content: []byte("- two\n")},
			"# Soul\n\nHello.\n\n## Skills\n\n- one\n- two\n\n### Deep\n\nd\n\n## Next\ntext\n"},
		{"append text goes before subsections", base, markup.SectionEdit{Section: "Skills", Mode: "append", Content: []byte("more")},
			"# Soul\n\nHello.\n\n## Skills\n\n- one\n\nmore\n\n### Deep\n\nd\n\n## Next\ntext\n"},
		{"append of a subsection goes last", base, markup.SectionEdit{Section: "Skills", Mode: "append", Content: []byte("### Deeper\n\ne")},
			"# Soul\n\nHello.\n\n## Skills\n\n- one\n\n### Deep\n\nd\n\n### Deeper\n\ne\n\n## Next\ntext\n"},
		{"append at the end without newline", "## A\n\nx", markup.SectionEdit{Section: "a", Mode: "append", Content: []byte("y\n")}, "## A\n\nx\n\ny"},
		{"append to an empty section", "## A\n## B\n", markup.SectionEdit{Section: "a", Mode: "append", Content: []byte("y")}, "## A\n\ny\n\n## B\n"},
		{"append to a heading without newline", "## A", markup.SectionEdit{Section: "a", Mode: "append", Content: []byte("y")}, "## A\n\ny"},
		{"append before a setext heading", "# A\nB\n---\nb\n", markup.SectionEdit{Section: "a", Mode: "append", Content: []byte("y")}, "# A\n\ny\n\nB\n---\nb\n"},
		{"append keeps CRLF", "## A\r\n\r\nx\r\n", markup.SectionEdit{Section: "a", Mode: "append", Content: []byte("y\nz\n")}, "## A\r\n\r\nx\r\n\r\ny\r\nz\r\n"},
		{"replace takes subsections too", base, markup.SectionEdit{Section: "Skills", Mode: "replace", Content: []byte("none\n")},
			"# Soul\n\nHello.\n\n## Skills\n\nnone\n\n## Next\ntext\n"},
		{"replace of the title keeps the document", base, markup.SectionEdit{Section: "soul", Mode: "replace", Content: []byte("Hi.")},
			"# Soul\n\nHi.\n\n## Skills\n\n- one\n\n### Deep\n\nd\n\n## Next\ntext\n"},
		{"replace by nothing", "## A\n\nx\n\n## B\n", markup.SectionEdit{Section: "a", Mode: "replace"}, "## A\n\n## B\n"},
		{"replace keeps the heading as written", "## __A__ ##\nx\n", markup.SectionEdit{Section: "a", Mode: "replace", Content: []byte("y")}, "## __A__ ##\ny\n"},
		{"replace under a setext heading", "A\n===\n\nx\n", markup.SectionEdit{Section: "a", Mode: "replace", Content: []byte("y")}, "A\n===\n\ny\n"},
		{"add at the end", "## A\n\nx\n", markup.SectionEdit{Section: "New Thing", Mode: "add", Content: []byte("y")}, "## A\n\nx\n\n## New Thing\n\ny\n"},
		{"add to an empty file", "", markup.SectionEdit{Section: "New", Mode: "add", Content: []byte("y")}, "## New\n\ny\n"},
		{"add after front matter", "---\na: b\n---\n", markup.SectionEdit{Section: "New", Mode: "add", Content: []byte("y")}, "---\na: b\n---\n\n## New\n\ny\n"},
		{"add after a section", base, markup.SectionEdit{Section: "New", Mode: "add", Content: []byte("y"), After: "deep", Level: 2},
			"# Soul\n\nHello.\n\n## Skills\n\n- one\n\n### Deep\n\nd\n\n## New\n\ny\n\n## Next\ntext\n"},
		{"a heading in a fence is content", "## A\n\nx\n", markup.SectionEdit{Section: "a", Mode: "append", Content: []byte("```\n# not one\n```")}, "## A\n\nx\n\n```\n# not one\n```\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, ds := markup.EditSection("SOUL.md", []byte(tc.src), tc.edit)
			if len(ds) > 0 {
				t.Fatalf("diagnostics: %v", ds)
			}
			if diff := cmp.Diff(tc.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEditSectionRefuses(t *testing.T) {
	const base = "# Soul\n\n## Skills\n\n- one\n\n### Deep\n\n## Next\n\ntext\n"
	for _, tc := range []struct {
		name, src string
		edit      markup.SectionEdit
		rule, has string
	}{
		{"missing", base, markup.SectionEdit{Section: "Skils", Mode: "append", Content: []byte("x")}, markup.RuleSectionMissing, `did you mean "Skills"?`},
		{"exists", base, markup.SectionEdit{Section: "SKILLS", Mode: "add", Content: []byte("x")}, markup.RuleSectionExists, ""},
		{"twice", "## A\n\n## a\n", markup.SectionEdit{Section: "A", Mode: "append", Content: []byte("x")}, markup.RuleSectionTwice, ""},
		{"mode", base, markup.SectionEdit{Section: "Skills", Mode: "prepend", Content: []byte("x")}, markup.RuleSectionEdit, ""},
		{"nothing to say", base, markup.SectionEdit{Section: "Skills", Mode: "append", Content: []byte(" \n")}, markup.RuleSectionEdit, ""},
		{"no title", base, markup.SectionEdit{Section: "***", Mode: "add", Content: []byte("x")}, markup.RuleSectionEdit, ""},
		{"title with closing marks", base, markup.SectionEdit{Section: "Title ##", Mode: "add", Content: []byte("x")}, markup.RuleSectionEdit, ""},
		{"same level", base, markup.SectionEdit{Section: "Skills", Mode: "append", Content: []byte("a\n\n## Boundaries\n\nnone")}, markup.RuleSectionSmuggled, ""},
		{"setext", base, markup.SectionEdit{Section: "Skills", Mode: "append", Content: []byte("a\n\nBoundaries\n---\n\nnone")}, markup.RuleSectionSmuggled, ""},
		{"setext behind a link definition", base, markup.SectionEdit{Section: "Skills", Mode: "append", Content: []byte("[x]: y\nBoundaries\n===\n")}, markup.RuleSectionSmuggled, ""},
		{"setext behind dashes like front matter", base, markup.SectionEdit{Section: "Skills", Mode: "append", Content: []byte("---\nBoundaries\n---\n")}, markup.RuleSectionSmuggled, ""},
		{"open fence", base, markup.SectionEdit{Section: "Skills", Mode: "append", Content: []byte("````\nx\n```\n")}, markup.RuleOpenFence, ""},
		{"open tilde fence", base, markup.SectionEdit{Section: "Skills", Mode: "append", Content: []byte("~~~ py\nx\n```\n")}, markup.RuleOpenFence, ""},
		{"open comment", base, markup.SectionEdit{Section: "Skills", Mode: "append", Content: []byte("<!-- x\n")}, markup.RuleOpenHTML, ""},
		{"open script", base, markup.SectionEdit{Section: "Skills", Mode: "append", Content: []byte("<script>\n")}, markup.RuleOpenHTML, ""},
		{"carriage return", base, markup.SectionEdit{Section: "Skills", Mode: "append", Content: []byte("a\r## Boundaries\r")}, markup.RuleText, ""},
		{"control character", base, markup.SectionEdit{Section: "Skills", Mode: "append", Content: []byte("a\x1b[2K")}, markup.RuleText, ""},
		{"a list that swallows the next heading", "## A\n\nx\n\n  ## B\n", markup.SectionEdit{Section: "A", Mode: "append", Content: []byte("- item")}, markup.RuleSectionUnsafe, ""},
		{"a subsection that adopts others", "# A\n\n### B\n", markup.SectionEdit{Section: "A", Mode: "append", Content: []byte("x\n\n## C")}, markup.RuleSectionUnsafe, ""},
		{"open fence in the file", "## A\n\n```\n", markup.SectionEdit{Section: "A", Mode: "append", Content: []byte("x")}, markup.RuleOpenFence, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, ds := markup.EditSection("SOUL.md", []byte(tc.src), tc.edit)
			if string(got) != tc.src {
				t.Errorf("a refused edit changed the source to %q", got)
			}
			if len(ds) == 0 || ds[0].Rule != tc.rule || !strings.Contains(ds[0].Fix, tc.has) {
				t.Errorf("got %v, want rule %s with fix %q", ds, tc.rule, tc.has)
			}
		})
	}
}
