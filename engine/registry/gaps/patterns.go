package gaps

import (
	"regexp"
	"strings"
)

// In names the part of a session that a pattern is looked for in.
type In string

// The parts of a session.
const (
	InWords  In = "words"  // what the agent says
	InCalls  In = "calls"  // the inputs of its calls
	InErrors In = "errors" // the outputs of failed calls
)

// Parts lists the parts of a session.
func Parts() []In { return []In{InWords, InCalls, InErrors} }

// Pattern is a known sign of a gap. Match sees text in lower case.
type Pattern struct {
	Match *regexp.Regexp
	In    In
	// Gap is what is lacking, without evidence.
	Gap Gap
}

func (h *Hearer) hearWordPatterns(e Event) {
	if len(h.rules.Patterns) == 0 {
		return
	}
	for _, s := range sentencesOf(spoken(e.Words)) {
		h.match(InWords, e.at(s), s.masked)
	}
}

// at is the line of a sentence.
func (e Event) at(s sentence) int {
	if e.Lines {
		return e.Line + s.line
	}
	return e.Line
}

func (h *Hearer) hearCallPatterns(line int, c *Call) {
	h.match(InCalls, line, c.Input)
	if c.Failed {
		h.match(InErrors, line, lastPart(c.Output))
	}
}

// match adds the gaps of the patterns that a text has.
func (h *Hearer) match(in In, line int, text string) {
	lower := ""
	for _, p := range h.rules.Patterns {
		if p.In != in {
			continue
		}
		if lower == "" {
			lower = strings.ToLower(text)
		}
		if p.Match.MatchString(lower) {
			g := p.Gap
			g.Times, g.Evidence = 1, []Evidence{{ByPattern, line, plain(text)}}
			h.add(g, line)
		}
	}
}
