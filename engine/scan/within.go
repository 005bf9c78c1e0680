package scan

import "strings"

// within appends the parts of s in which the expression may match: what is near the
// places where a match may end, of which it can have begun reach bytes before.
func (a *automaton) within(text string, s span, reach int, parts []span) []span {
	gave := false
	a.ends(text[s.start:s.end], func(end int) bool {
		end += s.start
		n := wholeLines(text, s, span{max(s.start, end-reach), min(s.end, end+min(reach, after))})
		if k := len(parts); gave && n.start <= parts[k-1].end {
			parts[k-1].end = n.end
			return true
		}
		parts, gave = append(parts, n), true
		return true
	})
	return parts
}

// wholeLines widens n to whole lines where they are not long, so that nothing looks like
// the beginning or the end of a line or word that is none; it stays inside s.
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
