package output

import (
	"fmt"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/advice"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// Opinion is what somebody said who was asked for a second opinion.
type Opinion struct {
	// Asked is who was asked, as the program says that did.
	Asked string `json:"asked"`
	// Verdict is the gravest of what they said; none where no answer could be had.
	Verdict  string           `json:"verdict"`
	Reason   string           `json:"reason"`
	Findings []advice.Finding `json:"findings"`
	// Current says that it is about the content as it is; others count for nothing.
	Current bool `json:"current"`
}

// OpinionsOf are the second opinions about a proposal, as machines get them.
func OpinionsOf(f policy.Facts) []Opinion {
	out := []Opinion{}
	for _, o := range f.Opinions {
		out = append(out, Opinion{o.Asked, o.Weight(), o.Reason, append([]advice.Finding{}, o.Findings...), o.Current})
	}
	return out
}

// Text is an opinion in one line, and each finding of it in another.
func (o Opinion) Text() (string, []string) {
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

// Look is the style of an opinion, by what it says.
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

// printOpinions tells what others said who were asked.
func printOpinions(c *console.Console, all []Opinion) {
	label := "opinion"
	for _, o := range all {
		said, found := o.Text()
		c.Field(label, o.Look(c.Style)(console.OneLine(said)))
		for _, f := range found {
			c.Field("", console.OneLine(f))
		}
		label = ""
	}
}
