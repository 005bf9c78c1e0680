package forge_test

import (
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/assent-dev/assent/engine/forge"
)

// TestQuoted: any text stays in one code block.
func TestQuoted(t *testing.T) {
	for _, s := range []string{"", "plain", "```\nout\n```", "````\n@everyone\n```` x", "~~~\n<img src=x>\n~~~", "a\n\n    b\r\n", "<!-- x", "\u202eevil\u200b", "[a](b)\n===\n---\n"} {
		src := []byte(forge.Quoted(s) + "\nafter\n")
		doc := goldmark.DefaultParser().Parse(text.NewReader(src))
		block, ok := doc.FirstChild().(*ast.FencedCodeBlock)
		if !ok || doc.ChildCount() != 2 || doc.LastChild().Kind() != ast.KindParagraph {
			doc.Dump(src, 0)
			t.Errorf("%q does not stay in its block:\n%s", s, src)
			continue
		}
		if inside := string(block.Lines().Value(src)); strings.ContainsAny(inside, "\u202e\u200b\r") {
			t.Errorf("%q: %q", s, inside)
		}
	}
}
