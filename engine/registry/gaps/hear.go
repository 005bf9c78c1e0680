package gaps

import (
	"github.com/assent-dev/assent/engine/format/capability"
)

// Rules are how gaps are heard beside the agent's words, and what is done about them. The zero value of a figure means
// its default.
type Rules struct {
	// Off: no run is started for a gap.
	Off bool
	// PreferSkills: what a text or code can do is built as a skill. Language is that of new servers.
	PreferSkills bool
	Language     capability.Language
	// More than Failures calls of one category fail within Window calls.
	Failures, Window int
	Patterns         []Pattern
}

// The defaults of Rules, in calls.
const (
	DefaultFailures = 3
	DefaultWindow   = 30
)

// Hearer hears gaps in the events of one session. What it keeps is bounded.
type Hearer struct {
	rules    Rules
	gaps     []Gap
	calls    int
	troubles map[troubleKey]*trouble
	streak   *trouble // the failed calls since the last success
	lacks    []lack   // the programs that were missing last
	// Dropped counts gaps beyond the bound.
	Dropped int
	heard   map[string]int // the line that added to a gap last
}

// lack is a program or module that a call missed.
type lack struct {
	name string
	call int
}

type troubleKey struct {
	subject string
	missing bool
}

// New returns a Hearer.
func New(r Rules) *Hearer {
	if r.Failures == 0 {
		r.Failures = DefaultFailures
	}
	if r.Window == 0 {
		r.Window = DefaultWindow
	}
	return &Hearer{rules: r, troubles: map[troubleKey]*trouble{}, heard: map[string]int{}}
}

// Hear takes the next event.
func (h *Hearer) Hear(e Event) {
	switch {
	case e.Call != nil:
		h.hearFailure(e.Line, e.Call)
		h.hearCallPatterns(e.Line, e.Call)
	case e.Words != "":
		h.hearWords(e)
		h.hearWordPatterns(e)
	}
}

// Gaps returns the gaps in the order in which they were heard first.
func (h *Hearer) Gaps() []Gap { return append([]Gap{}, h.gaps...) }

// find returns the place of the gap that is the same as another, or -1.
func (h *Hearer) find(g Gap, line int) int {
	for i, known := range h.gaps {
		message := h.heard[string(known.Type)+known.Name] == line // one message speaks of one gap in several sentences
		switch {
		case known.Type == g.Type && covers(known.Name, g.Name):
			return i
		case message && (known.Type == capability.KindTool || g.Type == capability.KindTool) && covers(known.Name, g.Name):
			return i
		}
	}
	return -1
}

// add adds a gap, or counts it once more. It keeps no gap without a name: what it asks for has no Latin letter.
func (h *Hearer) add(g Gap, line int) {
	if g.Name == "" {
		return
	}
	i := h.find(g, line)
	if i < 0 {
		if len(h.gaps) == maxGaps {
			h.Dropped++
			return
		}
		h.gaps = append(h.gaps, g)
		h.heard[string(g.Type)+g.Name] = line
		return
	}
	known := &h.gaps[i]
	if h.heard[string(known.Type)+known.Name] != line {
		known.Times++
	}
	known.Failures += g.Failures
	if known.Type == capability.KindTool && g.Type != capability.KindTool {
		known.Type = g.Type
	}
	if known.APIHint == "" {
		known.APIHint = g.APIHint
	}
	for _, e := range g.Evidence {
		if len(known.Evidence) < maxEvidence {
			known.Evidence = append(known.Evidence, e)
		}
	}
	h.heard[string(known.Type)+known.Name] = line
}

// again counts one more failure of a gap that was added.
func (h *Hearer) again(g Gap) {
	for i := range h.gaps {
		if h.gaps[i].Type == g.Type && h.gaps[i].Name == g.Name {
			h.gaps[i].Failures++
			return
		}
	}
}
