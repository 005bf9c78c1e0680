package strictyaml

import (
	"bytes"
	"sort"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/diag"
)

// lineIndex converts the parser's marks to diagnostics' positions. The parser counts characters
// and treats CR, NEL, LS and PS as line ends; editors count line feeds, and diag.Pos counts
// bytes.
type lineIndex struct {
	file   string
	src    []byte
	first  int   // the number of src's first line within file
	starts []int // offset of each of the parser's lines
	feeds  []int // offset of each line as editors count them
}

func newLineIndex(file string, src []byte, first int) *lineIndex {
	x := &lineIndex{file: file, src: src, first: max(first, 1), starts: []int{0}, feeds: []int{0}}
	for i := 0; i < len(src); {
		n := breakLen(src[i:])
		if n == 0 {
			i++
			continue
		}
		i += n
		x.starts = append(x.starts, i)
		if src[i-1] == '\n' {
			x.feeds = append(x.feeds, i)
		}
	}
	return x
}

// breakLen returns the length of the line break at the start of b, or 0.
func breakLen(b []byte) int {
	switch b[0] {
	case '\n':
		return 1
	case '\r':
		if len(b) > 1 && b[1] == '\n' {
			return 2
		}
		return 1
	case 0xC2:
		if len(b) > 1 && b[1] == 0x85 {
			return 2
		}
	case 0xE2:
		if len(b) > 2 && b[1] == 0x80 && (b[2] == 0xA8 || b[2] == 0xA9) {
			return 3
		}
	}
	return 0
}

// mark returns the position of the parser's line and column, both from 1.
func (x *lineIndex) mark(line, column int) diag.Pos { return x.offset(x.byteAt(line, column)) }

// byteAt returns the offset of the parser's line and column, both from 1.
func (x *lineIndex) byteAt(line, column int) int {
	i := min(max(line-1, 0), len(x.starts)-1)
	offset := x.starts[i]
	for n := 1; n < column && offset < len(x.src) && breakLen(x.src[offset:]) == 0; n++ {
		_, size := utf8.DecodeRune(x.src[offset:])
		offset += size
	}
	return offset
}

// indent returns the number of spaces before the text of the block whose header is on a line.
func (x *lineIndex) indent(header int) int {
	for line := header; line < len(x.starts); line++ {
		text := x.src[x.starts[line]:]
		rest := bytes.TrimLeft(text, " ")
		if len(rest) > 0 && breakLen(rest) == 0 {
			return len(text) - len(rest)
		}
	}
	return 0
}

// offset returns the position of a byte.
func (x *lineIndex) offset(at int) diag.Pos {
	at = min(max(at, 0), len(x.src))
	i := sort.SearchInts(x.feeds, at+1) - 1
	return diag.Pos{File: x.file, Line: x.first + i, Column: at - x.feeds[i] + 1}
}
