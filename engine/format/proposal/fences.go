package proposal

import (
	"bytes"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// fence is one fenced code block of a proposal's body.
type fence struct {
	language, file, text string
	line                 int // of the opening fence's content, from 1
}

// fences lists the fenced blocks at the top level of the document.
func fences(body []byte) []fence {
	var out []fence
	body = slices.Clip(body) // the parser may append to its input
	doc := goldmark.DefaultParser().Parse(text.NewReader(body))
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		block, ok := n.(*ast.FencedCodeBlock)
		if !ok {
			continue
		}
		f := fence{line: 1}
		if block.Info != nil {
			f.language, f.file = splitInfo(string(block.Info.Segment.Value(body)))
			f.line = 1 + bytes.Count(body[:block.Info.Segment.Start], []byte("\n"))
		}
		var content strings.Builder
		for i := range block.Lines().Len() {
			seg := block.Lines().At(i)
			content.Write(seg.Value(body))
		}
		f.text = content.String()
		out = append(out, f)
	}
	return out
}

// splitInfo parses an info string: the first word that is not an assignment is the
// language, file=PATH names a file.
func splitInfo(info string) (language, file string) {
	for _, word := range strings.Fields(info) {
		if path, ok := strings.CutPrefix(word, "file="); ok {
			file = strings.Trim(path, `"'`)
		} else if language == "" && !strings.Contains(word, "=") {
			language = strings.ToLower(word)
		}
	}
	return language, file
}
