package markup

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// hostile are units of text whose repetition costs a parser more than their length.
var hostile = []string{
	"# a\n", "#\n", "### a\n", "a\n=\n", "a\n-\n", "[a]: b\n", "[a]:\n", "[a\n", "- a\n", "-\n", "* a\n\n", "1. a\n", "  - a\n",
	"> a\n", ">\n", "> ```\n\n", "- ```\n", "- <!--\n", ">>>>>>>> a\n", "- - - - - - a\n", "1) 1) 1) a\n", "> - > - a\n",
	"\t- a\n", "                - a\n", "+\n\n", "---\n",
}

// Structure is bounded before it is parsed, in every order and below every kind of text.
func TestStructureIsBounded(t *testing.T) {
	for _, unit := range hostile {
		for name, above := range map[string]string{
			"": "", "a heading": "# Identity\n\nx\n\n", "front matter": "---\na: b\n---\n", "a deep list": strings.Repeat("- ", 90) + "a\n",
		} {
			t.Run(fmt.Sprintf("%q below %s", unit, name), func(t *testing.T) {
				src := []byte(above + strings.Repeat(unit, maxBytes/len(unit)))
				ds := CheckClosed("SOUL.md", src)
				if len(ds) != 1 || ds[0].Rule != RuleSize {
					t.Fatalf("%d findings: %v", len(ds), ds[:min(1, len(ds))])
				}
				if found, _ := Sections(src); len(found) > 0 || len(Headings(src)) > 0 || len(Code(src)) > 0 || len(References(src)) > 0 {
					t.Error("the text was parsed")
				}
			})
		}
	}
	src := bytes.Repeat([]byte("a\n"), maxBytes)
	if ds := CheckClosed("SOUL.md", src); len(ds) != 1 || ds[0].Rule != RuleSize || ds[0].Line != 1 {
		t.Errorf("a long text: %v", ds)
	}
}

// Lines below deep items cost the parser their depth.
func TestOpenItemsAreBounded(t *testing.T) {
	deep := strings.Repeat("- ", 90) + "a\n"
	stairs := ""
	for i := range 100 {
		stairs += strings.Repeat("  ", i) + "- a\n"
	}
	for _, src := range []string{deep + strings.Repeat("\n", 10_000), deep + strings.Repeat("a\n", 10_000), stairs + strings.Repeat("\n", 10_000)} {
		if ds := CheckClosed("SOUL.md", []byte(src)); len(ds) != 1 || ds[0].Rule != RuleSize {
			t.Errorf("%.20q: %v", src, ds)
		}
	}
}

// What people write is far below the bounds.
func TestOrdinaryTextIsParsed(t *testing.T) {
	for what, src := range map[string]string{
		"a thousand entries":   strings.Repeat("### Capability: a\n**Learned**: 2026-01-01\n\n**Usage**:\n```sh\n# run it\na\n```\n\n**Limitations**:\n- one\n- two\n\n", 1000),
		"a long nested list":   strings.Repeat("- a\n  - b\n    - c\n      more\n\n", 4000),
		"a long quotation":     strings.Repeat("> a\n", 20_000),
		"many short lines":     strings.Repeat("a\n", 200_000),
		"a list of many links": strings.Repeat("[a](b)\n", 4000),
	} {
		if ds := CheckClosed("SOUL.md", []byte(src)); len(ds) > 0 {
			t.Errorf("%s: %v", what, ds)
		}
	}
}

// Unclosed blocks are reported up to a bound.
func TestFindingsAreBounded(t *testing.T) {
	if ds := CheckClosed("SOUL.md", bytes.Repeat([]byte("> ```\n\n"), 5000)); len(ds) != mostFindings {
		t.Errorf("%d findings", len(ds))
	}
}
