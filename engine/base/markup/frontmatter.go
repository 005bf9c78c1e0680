package markup

import (
	"bytes"

	"github.com/assent-dev/assent/engine/base/diag"
)

// FrontMatter is the location of the YAML at the start of a Markdown file.
type FrontMatter struct {
	// Present is false when the file has none; then the body is the whole file.
	Present bool
	// Source is the YAML between the delimiters, with its last line end.
	Source []byte
	// Offset is the start of Source in the file.
	Offset int
	// StartLine is the line of the file on which Source starts.
	StartLine int
	// BodyOffset and BodyLine are the start of the body: src[:BodyOffset] is the front matter
	// with its delimiters, src[BodyOffset:] the body.
	BodyOffset, BodyLine int
	// EOL is the line end of the opening delimiter, or of the file's first line.
	EOL string
}

var byteOrderMark = []byte("\uFEFF")

// SplitFrontMatter finds the front matter: a first line of exactly ---, up to the next such
// line (spaces may follow the dashes). It skips a byte order mark with a warning. Unclosed
// front matter is an error and counts as none. Positions have no file name.
func SplitFrontMatter(src []byte) (FrontMatter, diag.List) {
	var ds diag.List
	start := 0
	if bytes.HasPrefix(src, byteOrderMark) {
		start = len(byteOrderMark)
		ds.Warnf(RuleByteOrderMark, diag.Pos{Line: 1, Column: 1}, "save the file as UTF-8 without a byte order mark",
			"the file starts with a byte order mark")
	}
	first := lineEnd(src, start)
	none := FrontMatter{BodyLine: 1, EOL: eolOf(src[start:first])}
	if !isDelimiter(src[start:first]) {
		return none, ds
	}
	line := 2
	for at := first; at < len(src); line++ {
		end := lineEnd(src, at)
		if isDelimiter(src[at:end]) {
			return FrontMatter{
				Present: true, Source: src[first:at], Offset: first, StartLine: 2,
				BodyOffset: end, BodyLine: line + 1, EOL: none.EOL,
			}, ds
		}
		at = end
	}
	ds.Errorf(RuleFrontUnclosed, diag.Pos{Line: 1}, "end the front matter with a line of three dashes",
		"the front matter that begins here has no closing ---")
	return none, ds
}

func isDelimiter(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte("---"))
	return ok && len(bytes.TrimRight(rest, " \t\r\n")) == 0
}

// lineEnd returns the offset after the line that contains at.
func lineEnd(src []byte, at int) int {
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(src)
}

// lineStart returns the start of the line that contains at.
func lineStart(src []byte, at int) int { return bytes.LastIndexByte(src[:at], '\n') + 1 }

// lineOf returns the number of the line that contains at, from 1.
func lineOf(src []byte, at int) int { return 1 + bytes.Count(src[:at], []byte{'\n'}) }

// eolOf returns the line end of a line, or "\n" if it has none.
func eolOf(line []byte) string {
	if bytes.HasSuffix(line, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// trimEOL returns end without a trailing line end.
func trimEOL(src []byte, start, end int) int {
	if end > start && src[end-1] == '\n' {
		end--
		if end > start && src[end-1] == '\r' {
			end--
		}
	}
	return end
}
