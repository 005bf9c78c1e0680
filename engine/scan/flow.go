package scan

import (
	"regexp"
	"strings"
)

// The functions here follow data through one variable inside one program: from
// an assignment to a later use. That is what separates a script that reads a
// key to authenticate from one that reads a key to send it.

// assignment matches "name = value", with or without let, const, var, export.
var assignment = expr(`(?m)^[ \t]*(?:(?:const|let|var|export|local|\$env:)\s+)?([A-Za-z_]\w{0,40})\s*(?::\s*[\w\[\], .]{1,40})?=\s*([^=\n][^\n]*)`)

// flow is one variable that holds something of interest.
type flow struct {
	name string
	at   span
}

// assigned returns the variables that are set from an expression that source
// matches, within s, in order.
func assigned(d *document, s span, source *regexp.Regexp) []flow {
	var found []flow
	for _, loc := range assignment().FindAllStringSubmatchIndex(d.text[s.start:s.end], -1) {
		if source.MatchString(d.text[s.start+loc[4] : s.start+loc[5]]) {
			found = append(found, flow{d.text[s.start+loc[2] : s.start+loc[3]], span{s.start + loc[2], s.start + loc[5]}})
		}
		if len(found) == maxMatches {
			break
		}
	}
	return found
}

// use returns the first of sinks after f that names f.
func (f flow) use(d *document, sinks []span) (span, bool) {
	for _, s := range sinks {
		if s.start > f.at.end && mentions(d.text[s.start:s.end], f.name) {
			return s, true
		}
	}
	return span{}, false
}

// mentions reports whether text holds name as a word of its own.
func mentions(text, name string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(name)
		if (i == 0 || !wordByte(text[i-1])) && (end == len(text) || !wordByte(text[end])) {
			return true
		}
		from = i + 1
	}
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// statements returns the matches of re inside s, each extended to the bracket
// that closes the call or to the end of the line, at most 800 bytes.
func statements(d *document, s span, re *regexp.Regexp) []span {
	var found []span
	for _, loc := range re.FindAllStringIndex(d.text[s.start:s.end], maxMatches) {
		from := s.start + loc[0]
		found = append(found, span{from, callEnd(d.text[:s.end], s.start+loc[1])})
	}
	return found
}

// callEnd returns where the call that is open at offset closes, else the end of
// its line; a backslash continues a shell line.
func callEnd(text string, offset int) int {
	limit := min(len(text), offset+800)
	depth := 1
	if text[offset-1] != '(' {
		depth = 0
	}
	for i := offset; i < limit; i++ {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		case '\n':
			if depth <= 0 && text[i-1] != '\\' {
				return i
			}
		}
	}
	return limit
}
