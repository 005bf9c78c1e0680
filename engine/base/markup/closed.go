package markup

import (
	"bytes"
	"regexp"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"

	"github.com/assent-dev/assent/engine/base/diag"
)

// CheckClosed reports unclosed code fences and HTML blocks: they swallow the following text, so
// an edit after them would be invisible. It also reports text beyond the bounds of what is
// parsed (see excessOf), in which case the file has no sections.
func CheckClosed(file string, src []byte) diag.List {
	return closedFrom(file, src, bodyStart(src))
}

// TooLarge reports whether a text exceeds the bounds of what is parsed.
func TooLarge(src []byte) bool {
	_, large := excessOf(src[bodyStart(src):])
	return large
}

func closedFrom(file string, src []byte, offset int) diag.List {
	var ds diag.List
	body := src[offset:]
	if e, ok := excessOf(body); ok {
		e.report(&ds, position(file, src, offset+e.offset))
		return ds
	}
	at := func(o int) diag.Pos { return position(file, src, offset+o) }
	walk(parseBlocks(body), func(n ast.Node) {
		if len(ds) >= mostFindings {
			return
		}
		switch b := n.(type) {
		case *ast.FencedCodeBlock:
			if start, ok := openFence(body, b); ok {
				ds.Errorf(RuleOpenFence, at(start), "close it with a line of the same marks, at least as many",
					"the code fence that begins here is not closed")
			}
		case *ast.HTMLBlock:
			if b.Lines().Len() > 0 && openHTML(body, b) {
				ds.Errorf(RuleOpenHTML, at(b.Lines().At(0).Start), "close the comment or element",
					"the HTML that begins here is not closed")
			}
		}
	})
	return ds
}

func walk(n ast.Node, visit func(ast.Node)) {
	visit(n)
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c.Type() == ast.TypeBlock {
			walk(c, visit)
		}
	}
}

func position(file string, src []byte, offset int) diag.Pos {
	return diag.Pos{File: file, Line: lineOf(src, offset), Column: offset - lineStart(src, offset) + 1}
}

// openFence returns the start of a fence, and whether it is unclosed.
func openFence(src []byte, b *ast.FencedCodeBlock) (int, bool) {
	start := min(max(b.Pos(), 0), len(src)-1)
	line := src[lineStart(src, start):lineEnd(src, start)]
	if i := bytes.IndexAny(src[start:lineEnd(src, start)], "`~"); i >= 0 {
		start += i
	} else if i := bytes.IndexAny(line, "`~"); i >= 0 {
		start = lineStart(src, start) + i
	}
	mark := src[start]
	length := run(src[start:], mark)
	after := lineEnd(src, start)
	if n := b.Lines().Len(); n > 0 {
		after = lineEnd(src, max(b.Lines().At(n-1).Start, start))
	}
	closing := bytes.TrimLeft(src[after:lineEnd(src, min(after, len(src)))], " \t>")
	n := run(closing, mark)
	return start, n < length || len(bytes.TrimSpace(closing[n:])) > 0
}

func run(b []byte, c byte) int { return len(b) - len(bytes.TrimLeft(b, string(c))) }

var scriptEnd = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)</(script|pre|style|textarea)>`) })

// openHTML reports whether an HTML block of types 1 to 5 (CommonMark 0.31, "HTML blocks") is
// unclosed. Types 6 and 7 end at a blank line.
func openHTML(src []byte, b *ast.HTMLBlock) bool {
	if b.HasClosure() {
		return false
	}
	seg := b.Lines().At(0)
	first := seg.Value(src)
	switch b.HTMLBlockType {
	case ast.HTMLBlockType1:
		return !scriptEnd().Match(first)
	case ast.HTMLBlockType2:
		return !bytes.Contains(first, []byte("-->"))
	case ast.HTMLBlockType3:
		return !bytes.Contains(first, []byte("?>"))
	case ast.HTMLBlockType4:
		return !bytes.Contains(first, []byte(">"))
	case ast.HTMLBlockType5:
		return !bytes.Contains(first, []byte("]]>"))
	default:
		return false
	}
}

// CheckText reports the first place where a Markdown file is not plain text: invalid UTF-8, a
// control character, or a carriage return without line feed, which only some readers treat as a
// line end.
func CheckText(file string, src []byte) diag.List {
	var ds diag.List
	for i := 0; i < len(src); {
		r, size := utf8.DecodeRune(src[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			ds.Errorf(RuleText, position(file, src, i), "save the file as UTF-8", "byte 0x%02x is not valid UTF-8", src[i])
			return ds
		case r == '\r' && (i+1 == len(src) || src[i+1] != '\n'):
			ds.Errorf(RuleText, position(file, src, i), "end lines with LF or CRLF", "a carriage return without a line feed")
			return ds
		case unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t':
			ds.Errorf(RuleText, position(file, src, i), "remove the character", "control character U+%04X", r)
			return ds
		}
		i += size
	}
	return ds
}
