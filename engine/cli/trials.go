package cli

import (
	"fmt"
	"slices"

	"github.com/assent-dev/assent/engine/format/proof"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/proposals/render"
)

// testsText is what is known of the tests of a proposal, in one line for each capability.
func testsText(t *policy.Tests) []string {
	if t == nil {
		return nil
	}
	var out []string
	for _, trial := range t.Trials {
		said := render.Trial(trial)
		if t.Claimed {
			said += " (by a record; whoever merges runs them again)"
		}
		out = append(out, said)
	}
	if t.Unrun != "" {
		out = append(out, "not run here: "+t.Unrun)
	}
	return out
}

// testsOf tells what tests came to, and of each what stands against it.
func (c *console) testsOf(t *policy.Tests) {
	label := "tests"
	for _, text := range testsText(t) {
		c.field(label, oneLine(text))
		label = ""
	}
	if t == nil {
		return
	}
	for _, trial := range t.Trials {
		for _, told := range slices.Concat(trial.Against, trial.Failing) {
			c.field("", c.style.bad(oneLine(told)))
		}
	}
}

// trialsText is an event's line about tests.
func trialsText(trials []proof.Trial) string {
	text := ""
	for i, t := range trials {
		if i == 3 {
			return fmt.Sprintf("%s; and %d more", text, len(trials)-i)
		}
		if i > 0 {
			text += "; "
		}
		text += render.Trial(t)
	}
	return text
}
