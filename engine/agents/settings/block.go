package settings

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Block is a run of lines between two marks, at the end of a file or wherever a person moved it.
type Block struct {
	// Open and Close are the marker lines, comments in the file's language. In Open, %d is
	// the number of line ends that were added before the block.
	Open, Close string
	// Text is the content between them, with \n at each line's end.
	Text string
	// Fits, if not nil, returns an error if the block cannot be added to the rest of a
	// file.
	Fits func(rest []byte) error
}

// Markdown is a block of a Markdown file.
func Markdown(text string) Block {
	return Block{Open: "<!-- assent:begin %d: written by assent connect, removed by assent disconnect -->", Close: "<!-- assent:end -->", Text: text}
}

// TOML is a block of a TOML file that holds the table of that name and its content.
func TOML(table, text string) Block {
	return Block{
		Open: "# assent:begin %d: written by assent connect, removed by assent disconnect", Close: "# assent:end", Text: text,
		Fits: func(rest []byte) error { return tomlFits(rest, table) },
	}
}

// place is the position of a block in a file, including marker lines and line ends, with
// the number of its line ends before it, and its kind of line end.
type place struct {
	from, to, before int
	nl               string
}

// find looks for the block. One mark without the other is a fault.
func (b Block) find(src []byte) (p place, there bool, err error) {
	head, tail, _ := strings.Cut(b.Open, "%d")
	open := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(head) + `([0-2])` + regexp.QuoteMeta(tail) + `\r?$`)
	end := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(b.Close) + `\r?$`)
	opens, ends := open.FindAllSubmatchIndex(src, 3), end.FindAllIndex(src, 3)
	switch {
	case len(opens) == 0 && len(ends) == 0:
		return p, false, nil
	case len(opens) != 1 || len(ends) != 1 || ends[0][0] < opens[0][1]:
		at := len(src)
		for _, m := range append(opens, ends...) {
			at = min(at, m[0])
		}
		return p, false, fault(src, at, "remove the lines between the marks, and the marks", "the marks of assent's block do not pair: %d begin and %d end", len(opens), len(ends))
	}
	p.from, p.to, p.nl = opens[0][0], ends[0][1], "\n"
	if src[opens[0][1]-1] == '\r' {
		p.nl = "\r\n"
	}
	if p.to < len(src) { // its own line end
		p.to++
	}
	p.before, _ = strconv.Atoi(string(src[opens[0][2]:opens[0][3]]))
	return p, true, nil
}

// Set puts the block into a file, or gives the one that is there its text. nil is a file that is
// not there.
func (b Block) Set(src []byte) ([]byte, error) {
	if i := bytes.IndexByte(src, 0); i >= 0 {
		return nil, fault(src, i, "see what it is", "it is no text")
	}
	p, there, err := b.find(src)
	if err != nil {
		return nil, err
	}
	if there {
		if err := b.fits(splice(src, p.from, p.to, "")); err != nil {
			return nil, err
		}
		return splice(src, p.from, p.to, b.lines(p.nl, p.before, bytes.HasSuffix(src[:p.to], []byte("\n")))), nil
	}
	if err := b.fits(src); err != nil {
		return nil, err
	}
	nl, before := newline(src), 0
	switch {
	case len(src) == 0:
	case bytes.HasSuffix(src, []byte("\n")):
		before = 1
	default:
		before = 2
	}
	return slices.Concat(src, []byte(strings.Repeat(nl, before)+b.lines(nl, before, true))), nil
}

func (b Block) fits(rest []byte) error {
	if b.Fits == nil {
		return nil
	}
	return b.Fits(rest)
}

// lines returns the block as lines of a file.
func (b Block) lines(nl string, before int, ended bool) string {
	out := fmt.Sprintf(b.Open, before) + "\n" + strings.TrimSuffix(b.Text, "\n") + "\n" + b.Close
	if ended {
		out += "\n"
	}
	return strings.ReplaceAll(out, "\n", nl)
}

// Remove removes the block from a file, with the line ends that Set added. It returns src
// if there is no block, and nil if made says that Set created the file and nothing else is
// in it.
func (b Block) Remove(src []byte, made bool) ([]byte, error) {
	p, there, err := b.find(src)
	if err != nil {
		return nil, err
	}
	if !there {
		return src, nil
	}
	for range p.before {
		if bytes.HasSuffix(src[:p.from], []byte(p.nl)) {
			p.from -= len(p.nl)
		}
	}
	out := splice(src, p.from, p.to, "")
	if made && len(bytes.TrimSpace(out)) == 0 {
		return nil, nil
	}
	return out, nil
}

// Has reports whether a file contains the block with this text.
func (b Block) Has(src []byte) bool {
	p, there, err := b.find(src)
	return err == nil && there && bytes.Contains(src[p.from:p.to], []byte(strings.ReplaceAll(strings.TrimSuffix(b.Text, "\n"), "\n", p.nl)))
}

// tomlFits returns an error if the table cannot be added: it exists, or the file ends
// inside a string.
func tomlFits(rest []byte, table string) error {
	parent, name, _ := strings.Cut(table, ".")
	key := func(s string) string { return `["']?` + regexp.QuoteMeta(s) + `["']?` }
	mine := regexp.MustCompile(`^\s*\[\[?\s*` + key(parent) + `\s*\.\s*` + key(name) + `\s*[].]|^\s*` + key(parent) + `\s*\.\s*` + key(name) + `\s*[.=]`)
	inline := regexp.MustCompile(`^\s*` + key(parent) + `\s*=`)
	header := regexp.MustCompile(`^\s*\[\s*` + key(parent) + `\s*\]`)
	own := regexp.MustCompile(`^\s*` + key(name) + `\s*[.=]`)
	inside, inParent, at := "", false, 0
	for line := range bytes.Lines(rest) {
		if inside == "" {
			switch {
			case mine.Match(line), inParent && own.Match(line):
				return fault(rest, at, "remove it, and connect again; or keep it, and do without assent connect", "%s is there already, and assent did not write it", table)
			case inline.Match(line):
				return fault(rest, at, "write it as tables: ["+parent+".NAME]", "%s is written as one value, which nothing can be added to", parent)
			}
			if bytes.HasPrefix(bytes.TrimSpace(line), []byte("[")) {
				inParent = header.Match(line)
			}
		}
		inside = tomlInside(line, inside)
		at += len(line)
	}
	if inside != "" {
		return fault(rest, len(rest), "mend the file first", "it ends inside of a string that begins with %s", inside)
	}
	return nil
}

// tomlInside tracks multi-line strings: it returns the quote that the next line is inside
// of.
func tomlInside(line []byte, inside string) string {
	for i := 0; i < len(line); {
		if inside != "" {
			switch {
			case inside == `"""` && line[i] == '\\':
				i += 2
			case bytes.HasPrefix(line[i:], []byte(inside)):
				i, inside = i+3, ""
			default:
				i++
			}
			continue
		}
		switch c := line[i]; {
		case c == '#':
			return ""
		case bytes.HasPrefix(line[i:], []byte(`"""`)), bytes.HasPrefix(line[i:], []byte(`'''`)):
			inside = string(line[i : i+3])
			i += 3
		case c == '"' || c == '\'':
			i = tomlString(line, i)
		default:
			i++
		}
	}
	return inside
}

// tomlString goes over a string of one line.
func tomlString(line []byte, at int) int {
	quote := line[at]
	for at++; at < len(line); at++ {
		switch {
		case line[at] == '\\' && quote == '"':
			at++
		case line[at] == quote:
			return at + 1
		}
	}
	return at
}
