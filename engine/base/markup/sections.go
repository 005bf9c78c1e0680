package markup

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/assent-dev/assent/engine/base/diag"
)

// Span is a range of bytes of a file, excluding End.
type Span struct{ Start, End int }

// Of returns the bytes of the span.
func (s Span) Of(src []byte) []byte { return src[s.Start:s.End] }

// Len returns the number of bytes.
func (s Span) Len() int { return s.End - s.Start }

// Section is a heading of level 1 to 3 with its text.
type Section struct {
	Level int
	// Title is the heading's text as written, without its marks.
	Title string
	// Slug identifies the section; see Slug.
	Slug string
	// Line of the heading in the file, from 1.
	Line int
	// Heading covers the heading's lines with their line ends, including the underline of a
	// setext heading.
	Heading Span
	// Own is the text up to the first subsection. Body is the text up to the next heading of
	// the same or a higher level.
	Own, Body Span
	// Parent is the index of the enclosing section, or -1. Children are the indexes of the
	// direct subsections.
	Parent   int
	Children []int
}

// Extent covers the heading and the body with all subsections.
func (s Section) Extent() Span { return Span{s.Heading.Start, s.Body.End} }

// deepestSection is the lowest heading level of a section.
const deepestSection = 3

// Sections lists the sections of a Markdown file in order, after its front matter. The
// diagnostics are those of SplitFrontMatter. A file beyond the bounds (see CheckClosed) has no
// sections.
func Sections(src []byte) ([]Section, diag.List) {
	_, ds := SplitFrontMatter(src)
	return nest(within(Headings(src), deepestSection), len(src)), ds
}

// Heading is a heading of any level at the top level of the document.
type Heading struct {
	Level int
	Title string
	Line  int
	Span  Span
}

// Headings lists the headings of levels 1 to 6 at the top level of the document, in order,
// after the front matter.
func Headings(src []byte) []Heading {
	return headingsFrom(src, bodyStart(src))
}

// bodyStart returns the start of the Markdown, after front matter or a byte order mark.
func bodyStart(src []byte) int {
	fm, _ := SplitFrontMatter(src)
	if fm.BodyOffset == 0 && bytes.HasPrefix(src, byteOrderMark) {
		return len(byteOrderMark)
	}
	return fm.BodyOffset
}

func headingsFrom(src []byte, offset int) []Heading {
	body := src[offset:]
	var out []Heading
	line, counted := lineOf(src, offset), 0
	for n := parseBlocks(body).FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok {
			continue
		}
		span := headingSpan(body, h)
		line += bytes.Count(body[counted:span.Start], []byte{'\n'})
		counted = span.Start
		out = append(out, Heading{
			Level: h.Level, Title: headingTitle(body, h), Line: line,
			Span: Span{span.Start + offset, span.End + offset},
		})
	}
	return out
}

// parseBlocks parses only the block structure: inline syntax can neither create nor hide a
// section.
func parseBlocks(src []byte) ast.Node {
	if _, ok := excessOf(src); ok {
		return ast.NewDocument()
	}
	return blockParser().Parse(reader(src))
}

// reader returns a reader of src with no spare capacity: the parser appends a line end to code
// at the end of the text, which would write into a larger file that contains src.
func reader(src []byte) text.Reader { return text.NewReader(slices.Clip(src)) }

func blockParser() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	)
}

func headingTitle(src []byte, h *ast.Heading) string {
	var parts []string
	for i := range h.Lines().Len() {
		seg := h.Lines().At(i)
		parts = append(parts, strings.TrimSpace(string(seg.Value(src))))
	}
	return strings.Join(parts, " ")
}

func headingSpan(src []byte, h *ast.Heading) Span {
	start := lineStart(src, h.Pos())
	if isATX(src, start, h) {
		return Span{start, lineEnd(src, start)}
	}
	last := h.Lines().At(h.Lines().Len() - 1)
	underline := lineEnd(src, last.Start)
	return Span{start, lineEnd(src, underline)}
}

// isATX reports whether a heading has the form "# Title" and no underline. At most three spaces
// may precede the marks: the first line of an underlined title can be indented further if link
// definitions precede it in the paragraph.
func isATX(src []byte, start int, h *ast.Heading) bool {
	line := src[start:lineEnd(src, start)]
	marks := bytes.TrimLeft(line, " ")
	if len(line)-len(marks) > 3 || h.Lines().Len() > 1 {
		return false
	}
	rest := bytes.TrimLeft(marks, "#")
	return len(marks)-len(rest) == h.Level && (len(rest) == 0 || strings.ContainsRune(" \t\r\n", rune(rest[0])))
}

func within(all []Heading, level int) []Heading {
	var out []Heading
	for _, h := range all {
		if h.Level <= level {
			out = append(out, h)
		}
	}
	return out
}

// nest converts headings to sections; end is the length of the file.
func nest(hs []Heading, end int) []Section {
	out := make([]Section, len(hs))
	var open []int
	closeTo := func(level, at int) {
		for len(open) > 0 && out[open[len(open)-1]].Level >= level {
			out[open[len(open)-1]].Body.End = at
			open = open[:len(open)-1]
		}
	}
	for i, h := range hs {
		closeTo(h.Level, h.Span.Start)
		own := end
		if i+1 < len(hs) {
			own = hs[i+1].Span.Start
		}
		out[i] = Section{
			Level: h.Level, Title: h.Title, Slug: Slug(h.Title), Line: h.Line, Heading: h.Span,
			Own: Span{h.Span.End, own}, Body: Span{h.Span.End, end}, Parent: -1,
		}
		if len(open) > 0 {
			out[i].Parent = open[len(open)-1]
			out[out[i].Parent].Children = append(out[out[i].Parent].Children, i)
		}
		open = append(open, i)
	}
	return out
}

// Paths returns a name for each section and the headings above it. All have the same length,
// however long the titles are.
func Paths(sections []Section) []string {
	out := make([]string, len(sections))
	for i, s := range sections {
		above := ""
		if s.Parent >= 0 {
			above = out[s.Parent]
		}
		sum := sha256.Sum256([]byte(above + s.Slug))
		out[i] = string(sum[:])
	}
	return out
}

// Find returns the indexes of the sections whose slug equals that of name.
func Find(sections []Section, name string) []int {
	var out []int
	slug := Slug(name)
	for i, s := range sections {
		if s.Slug == slug {
			out = append(out, i)
		}
	}
	return out
}

// Code lists the code blocks of the document, fenced or indented, at any nesting, as spans of
// whole lines in order.
func Code(src []byte) []Span {
	offset := bodyStart(src)
	body := src[offset:]
	var out []Span
	walk(parseBlocks(body), func(n ast.Node) {
		var start, end int
		switch b := n.(type) {
		case *ast.FencedCodeBlock:
			start, _ = openFence(body, b)
			end = lineEnd(body, start)
		case *ast.CodeBlock:
			if b.Lines().Len() == 0 {
				return
			}
			start = b.Lines().At(0).Start
			end = lineEnd(body, start)
		default:
			return
		}
		if lines := n.Lines(); lines.Len() > 0 {
			end = lineEnd(body, max(start, lines.At(lines.Len()-1).Start))
		}
		out = append(out, Span{offset + lineStart(body, start), offset + end})
	})
	return out
}

// References returns the link definitions of the document by case-folded label, each as
// destination and title in one string. A definition anywhere in a file affects links everywhere
// in it.
func References(src []byte) map[string]string {
	out := map[string]string{}
	body := src[bodyStart(src):]
	if _, ok := excessOf(body); ok {
		return out
	}
	pc := parser.NewContext()
	blockParser().Parse(reader(body), parser.WithContext(pc))
	for _, r := range pc.References() {
		out[Slug(string(r.Label()))] = string(r.Destination()) + " " + string(r.Title())
	}
	return out
}
