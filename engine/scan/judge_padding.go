package scan

import (
	"fmt"

	"github.com/assent-dev/assent/engine/base/diag"
)

// padding finds text behind a long run of spaces or of blank lines.
func padding(_ *machine, d *document) []match {
	if !blankRun(d.text, maxBlankLines) {
		return nil
	}
	var found []match
	spaces, breaks, start := 0, 0, 0
	for i := range len(d.text) {
		switch c := d.text[i]; {
		case c == '\n':
			breaks++
			spaces = 0
		case c == ' ' || c == '\t':
			spaces++
		case c == '\r':
		default:
			if spaces > maxBlankRun || breaks > maxBlankLines {
				s := d.lineAround(i)
				m := match{start: i, end: max(i+1, s.end), severity: diag.Warning, confidence: 0.8,
					message: fmt.Sprintf("text stands behind %d blank characters", i-start)}
				if c == '|' && breaks == 0 && d.text[d.lineSpan(d.lineIndex(i)).start] == '|' {
					m.lower(diag.Note) // columns of a table that are aligned
				}
				found = append(found, m)
			}
			spaces, breaks, start = 0, 0, i+1
		}
	}
	return found
}

// blankRun reports whether more than n blank characters follow each other. Such a
// run covers an offset that n divides, so only those are looked at.
func blankRun(text string, n int) bool {
	last := 0 // where the run before ended
	for i := 0; i < len(text); i += n {
		if i < last || !blankByte(text[i]) {
			continue
		}
		start, end := i, i
		for start > last && blankByte(text[start-1]) {
			start--
		}
		for end < len(text) && blankByte(text[end]) {
			end++
		}
		if last = end; end-start > n {
			return true
		}
	}
	return false
}

func blankByte(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
