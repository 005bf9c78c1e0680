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
	// table is the table of a TOML file that the block holds, "" in Markdown; keys are the table's keys
	// that are the block's own also when Text does not have them.
	table string
	keys  []string
}

// Markdown is a block of a Markdown file. Its own lines are those of text, and those of former texts: a line that
// text loses in a new version belongs there.
func Markdown(text string, former ...string) Block {
	return Block{Open: "<!-- assent:begin %d: written by assent connect, removed by assent disconnect -->", Close: "<!-- assent:end -->", Text: text, keys: former}
}

// TOML is a block of a TOML file that holds the table of that name and its content. keys are keys that text has at times.
func TOML(table, text string, keys ...string) Block {
	return Block{Open: "# assent:begin %d: written by assent connect, removed by assent disconnect", Close: "# assent:end", Text: text, table: table, keys: keys}
}

// parts are a file with a block: what is before it, the block's own lines, and what is behind it. Lines that others
// wrote between the marks are not the block's.
type parts struct {
	pre, own, post []byte
	before         int // line ends before the block
	nl             string
	ended          bool // the block ends with a line end
}

// find looks for the block. One mark without the other is a fault, unless the block is known by its table.
func (b Block) find(src []byte) (p parts, there bool, err error) {
	head, tail, _ := strings.Cut(b.Open, "%d")
	open := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(head) + `([0-2])` + regexp.QuoteMeta(tail) + `\r?$`)
	end := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(b.Close) + `\r?$`)
	opens, ends := open.FindAllSubmatchIndex(src, 3), end.FindAllIndex(src, 3)
	marks := slices.Concat(opens, ends)
	switch {
	case len(marks) == 0:
		return p, false, nil
	case len(opens) != 1 || len(ends) != 1 || ends[0][0] < opens[0][1]:
		fix := "remove the lines between the marks, and the marks"
		if len(marks) == 1 {
			if p, there = b.byTable(src, marks[0][0], marks[0][1]); there {
				return p, true, nil
			}
			fix = "remove this line, and the lines that assent connect wrote"
		}
		at := len(src)
		for _, m := range marks {
			at = min(at, m[0])
		}
		return p, false, fault(src, at, fix, "the marks of assent's block do not pair: %d begin and %d end", len(opens), len(ends))
	}
	p.nl = "\n"
	if src[opens[0][1]-1] == '\r' {
		p.nl = "\r\n"
	}
	p.before, _ = strconv.Atoi(string(src[opens[0][2]:opens[0][3]]))
	above, own, below := b.split(src[opens[0][1]+1 : ends[0][0]])
	if len(above) > 0 {
		p.before = 0
	}
	_, rest, ended := bytes.Cut(src[ends[0][1]:], []byte("\n"))
	p.pre, p.own, p.post = slices.Concat(src[:opens[0][0]], above), own, slices.Concat(below, rest)
	p.ended = ended || len(below) > 0
	return p, true, nil
}

// split parts lines into the block's own and those of others, above and below. Blank lines and comments belong to
// what follows them.
func (b Block) split(src []byte) (above, own, below []byte) {
	var loose []byte
	read := b.reader()
	for line := range bytes.Lines(src) {
		mine, open := read(line)
		switch {
		case open:
			loose = append(loose, line...)
			continue
		case !mine && own == nil:
			above = slices.Concat(above, loose, line)
		case !mine:
			below = slices.Concat(below, loose, line)
		case own == nil:
			above, own = append(above, loose...), slices.Clone(line)
		default:
			own = slices.Concat(own, loose, line)
		}
		loose = nil
	}
	if own == nil {
		return append(above, loose...), nil, below
	}
	return above, own, append(below, loose...)
}

// reader returns a function that says of each line whether it is the block's own, or blank or a comment.
func (b Block) reader() func(line []byte) (mine, loose bool) {
	if b.table != "" {
		return tomlReader(b.table)
	}
	known := strings.Split(b.Text+strings.Join(b.keys, ""), "\n")
	return func(line []byte) (mine, loose bool) {
		text := strings.TrimRight(string(line), "\r\n")
		return slices.Contains(known, text), text == ""
	}
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
	if !there {
		p = parts{pre: src, nl: newline(src), ended: true}
		switch {
		case len(src) == 0:
		case bytes.HasSuffix(src, []byte("\n")):
			p.before = 1
		default:
			p.before = 2
		}
	}
	if b.table != "" {
		lines := bytes.Count(src, []byte("\n")) - bytes.Count(p.pre, []byte("\n")) - bytes.Count(p.post, []byte("\n"))
		if err := tomlFits(slices.Concat(p.pre, bytes.Repeat([]byte("\n"), lines), p.post), b.table); err != nil {
			return nil, err
		}
	}
	pre := p.pre
	if !there {
		pre = slices.Concat(pre, []byte(strings.Repeat(p.nl, p.before)))
	}
	return slices.Concat(pre, []byte(b.lines(p)), p.post), nil
}

// lines returns the block as lines of a file.
func (b Block) lines(p parts) string {
	text := b.Text
	if b.table != "" {
		text += b.added(strings.ReplaceAll(string(p.own), "\r\n", "\n"))
	}
	out := fmt.Sprintf(b.Open, p.before) + "\n" + strings.TrimSuffix(text, "\n") + "\n" + b.Close
	if p.ended {
		out += "\n"
	}
	return strings.ReplaceAll(out, "\n", p.nl)
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
	if len(p.post) > 0 { // it begins on a line of its own
		p.before = min(p.before, 1)
	}
	for range p.before {
		p.pre = bytes.TrimSuffix(p.pre, []byte(p.nl))
	}
	out := append(append([]byte{}, p.pre...), p.post...)
	if made && len(bytes.TrimSpace(out)) == 0 {
		return nil, nil
	}
	return out, nil
}

// Has reports whether a file contains the block with this text.
func (b Block) Has(src []byte) bool {
	p, there, err := b.find(src)
	return err == nil && there && bytes.Contains(p.own, []byte(strings.ReplaceAll(strings.TrimSuffix(b.Text, "\n"), "\n", p.nl)))
}
