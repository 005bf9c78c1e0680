package scan

import "strings"

// part is a stretch of text in which a match may begin at starts, in order; nil says
// that it may begin anywhere.
type part struct {
	span
	starts []int
}

// within appends the parts of the spans of text in which e may match: the text near the
// places where a match may begin. A match that begins in one part never reaches into another.
func (e *expression) within(text string, spans []span, parts []part) []part {
	head := e.head.take()
	defer e.head.give(head)
	reach := e.far()
	for _, s := range spans {
		kept := len(parts)
		all := head.begins(text[s.start:s.end], func(start int) bool {
			start += s.start
			n := wholeLines(text, s, span{start, min(s.end, start+reach)})
			if k := len(parts) - 1; k >= kept && n.start <= parts[k].end {
				parts[k].end, parts[k].starts = max(parts[k].end, n.end), append(parts[k].starts, start)
				return true
			}
			parts = append(parts, part{n, []int{start}})
			return true
		})
		if all {
			continue
		}
		if parts = parts[:kept]; e.gateMay(text[s.start:s.end]) {
			parts = append(parts, part{span: s})
		}
	}
	return parts
}

// within returns the starts as offsets in the part.
func (p *part) within() []int {
	for i := range p.starts {
		p.starts[i] -= p.start
	}
	return p.starts
}

// wholeLines widens n to whole lines if they are not long, so that a cut never looks like
// the beginning or the end of a line or word. The result stays inside s.
func wholeLines(text string, s, n span) span {
	lead, tail := text[max(s.start, n.start-before):n.start], text[n.end:min(s.end, n.end+before)]
	if i := strings.LastIndexByte(lead, '\n'); i >= 0 {
		lead = lead[i+1:]
	}
	if i := strings.IndexByte(tail, '\n'); i >= 0 {
		tail = tail[:i]
	}
	return span{n.start - len(lead), n.end + len(tail)}
}
