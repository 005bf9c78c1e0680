package cli

import (
	"fmt"

	"github.com/assent-dev/assent/engine/format/advice"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// opinionJSON is what somebody said who was asked for a second opinion.
type opinionJSON struct {
	// Asked is who was asked, as the program says that did.
	Asked string `json:"asked"`
	// Verdict is the gravest of what they said; none where no answer could be had.
	Verdict  string           `json:"verdict"`
	Reason   string           `json:"reason"`
	Findings []advice.Finding `json:"findings"`
	// Current says that it is about the content as it is; others count for nothing.
	Current bool `json:"current"`
}

func opinionsOf(f policy.Facts) []opinionJSON {
	out := []opinionJSON{}
	for _, o := range f.Opinions {
		out = append(out, opinionJSON{o.Asked, o.Weight(), o.Reason, append([]advice.Finding{}, o.Findings...), o.Current})
	}
	return out
}

// text is an opinion in one line, and each finding of it in another.
func (o opinionJSON) text() (string, []string) {
	said := o.Verdict
	if o.Verdict == advice.None {
		said = "no answer"
	}
	if o.Reason != "" {
		said += ": " + o.Reason
	}
	if !o.Current {
		said += " (of another version)"
	}
	var found []string
	for _, f := range o.Findings {
		where := f.File
		if f.Line > 0 {
			where = fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		found = append(found, fmt.Sprintf("%s %s: %s", f.Severity, where, f.Message))
	}
	return o.Asked + " says " + said, found
}

func (o opinionJSON) look(p palette) func(string) string {
	switch {
	case !o.Current:
		return p.dim
	case o.Verdict == advice.Block:
		return p.bad
	case o.Verdict == advice.Pass:
		return p.dim
	}
	return p.warn
}

// opinions tells what others said who were asked.
func (c *console) opinions(all []opinionJSON) {
	label := "opinion"
	for _, o := range all {
		said, found := o.text()
		c.field(label, o.look(c.style)(oneLine(said)))
		for _, f := range found {
			c.field("", oneLine(f))
		}
		label = ""
	}
}
