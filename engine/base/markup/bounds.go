package markup

import (
	"bytes"
	"fmt"

	"github.com/assent-dev/assent/engine/base/diag"
)

// The invariant: no Markdown is parsed before its bounds are checked. Within them, parsing it and
// comparing all of its sections takes a fraction of a second.
const (
	// maxBytes bounds the text after the front matter.
	maxBytes = 512 << 10
	// deepestNesting bounds the quotation or list marks at the start of one line. The parser's time
	// is quadratic in that number.
	deepestNesting = 100
	// maxWork bounds the structure of a text: 5 000 headings, underlines and link definitions, or
	// 40 000 list items. An item costs the square of its depth, where indentation counts as marks,
	// and each line below it costs the depth: the parser asks every open item about every line.
	maxWork, headingWork, itemWork = 200_000, 40, 4
	// mostFindings bounds the unclosed blocks that are reported for one file.
	mostFindings = 100
)

// excess is the first place at which a text exceeds a bound.
type excess struct {
	offset             int
	rule, message, fix string
}

// excessOf returns the first bound that src exceeds. It reads each line once and parses nothing.
func excessOf(src []byte) (excess, bool) {
	//defence:markdown-bytes-are-bounded
	if len(src) > maxBytes {
		return excess{0, RuleSize, fmt.Sprintf("the text has %d bytes, more than the %d that are parsed", len(src), maxBytes), "split the file, or shorten it"}, true
	}
	offset, work, open := 0, 0, 0
	for line := range bytes.Lines(src) {
		marks := marksOf(line)
		if marks > deepestNesting {
			return excess{
				offset, RuleNested, fmt.Sprintf("more than %d quotation or list marks begin this line", deepestNesting),
				"nest quotations and lists less deeply",
			}, true
		}
		text := bytes.TrimLeft(line, " \t")
		indent := len(line) - len(text) + 3*bytes.Count(line[:len(line)-len(text)], []byte{'\t'})
		switch depth := marks + indent/2; {
		case marks > 0:
			work, open = work+itemWork+depth*depth, depth
		case len(text) > 0 && bytes.IndexByte([]byte("#=-["), text[0]) >= 0:
			work += headingWork + open
		default:
			work += max(0, open-2)
		}
		//defence:markdown-structure-is-bounded
		if work > maxWork {
			return excess{offset, RuleSize, "up to this line the text has more headings and list items than are parsed", "split the file, or shorten it"}, true
		}
		offset += len(line)
	}
	return excess{}, false
}

func (e excess) report(ds *diag.List, pos diag.Pos) { ds.Errorf(e.rule, pos, e.fix, "%s", e.message) }

// marksOf counts the quotation and list marks at the start of a line.
func marksOf(line []byte) int {
	marks := 0
	for i, c := range line {
		bullet := c == '-' || c == '+' || c == '*' || c == '.' || c == ')'
		switch {
		case c == '>', bullet && i+1 < len(line) && bytes.IndexByte([]byte(" \t\r\n"), line[i+1]) >= 0:
			marks++
		case c != ' ' && c != '\t' && (c < '0' || c > '9'):
			return marks
		}
	}
	return marks
}
