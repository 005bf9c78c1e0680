package output

import (
	"fmt"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/advice"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// Opinion is a second opinion.
type Opinion struct {
	// Asked is the reviewer, named by the asking program.
	Asked string `json:"asked"`
	// Verdict is the gravest verdict given; none if there was no answer.
	Verdict  string           `json:"verdict"`
	Reason   string           `json:"reason"`
	Findings []advice.Finding `json:"findings"`
	// Current reports that it is about the present content; others do not count.
	Current bool `json:"current"`
}

// OpinionsOf is the JSON of the second opinions about a proposal.
func OpinionsOf(f policy.Facts) []Opinion {
	out := []Opinion{}
	for _, o := range f.Opinions {
		out = append(out, Opinion{o.Asked, o.Weight(), o.Reason, append([]advice.Finding{}, o.Findings...), o.Current})
	}
	return out
}

// Text is an opinion in one line, and each finding of it in another.
func (o Opinion) Text() (string, []string) {
	text := o.Verdict
	if o.Verdict == advice.None {
		text = "no answer"
	}
	if o.Reason != "" {
		text += ": " + o.Reason
	}
	if !o.Current {
		text += " (of another version)"
	}
	var found []string
	for _, f := range o.Findings {
		where := f.File
		if f.Line > 0 {
			where = fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		found = append(found, fmt.Sprintf("%s %s: %s", f.Severity, where, f.Message))
	}
	return o.Asked + " says " + text, found
}

// Look is the style of an opinion, by its verdict.
func (o Opinion) Look(p console.Style) func(string) string {
	switch {
	case !o.Current:
		return p.Dim
	case o.Verdict == advice.Block:
		return p.Bad
	case o.Verdict == advice.Pass:
		return p.Dim
	}
	return p.Warn
}

// printOpinions shows second opinions.
func printOpinions(c *console.Console, all []Opinion) {
	label := "opinion"
	for _, o := range all {
		text, found := o.Text()
		c.Field(label, o.Look(c.Style)(console.OneLine(text)))
		for _, f := range found {
			c.Field("", console.OneLine(f))
		}
		label = ""
	}
}
