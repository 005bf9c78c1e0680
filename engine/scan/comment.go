package scan

import "strings"

// inComment reports whether offset is in a line comment of its language. It looks
// at one line only: quotes must be balanced up to the comment mark, so that a mark
// inside a string does not begin a comment.
func (l *layout) inComment(offset int) bool {
	line := l.lineAround(offset)
	lead := l.text[line.start:offset]
	switch l.placeOf(offset) {
	case python, shell:
		return hasComment(lead, "#")
	case script:
		return hasComment(lead, "//") || strings.HasPrefix(strings.TrimSpace(lead), "*")
	}
	return false
}

func hasComment(lead, mark string) bool {
	for from := 0; ; {
		i := strings.Index(lead[from:], mark)
		if i < 0 {
			return false
		}
		i += from
		head := lead[:i]
		free := strings.Count(head, `"`)%2 == 0 && strings.Count(head, "'")%2 == 0
		if free && (i == 0 || head[i-1] == ' ' || head[i-1] == '\t' || head[i-1] == ';') {
			return true
		}
		from = i + len(mark)
	}
}

// inCode drops matches in comments; of strings, decoded ones excepted, too.
func inCode(d *document, m *match) bool { return !d.inComment(m.start) }
