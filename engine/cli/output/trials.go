package output

import (
	"fmt"
	"slices"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/proof"
	"github.com/assent-dev/assent/engine/format/suite"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/proposals/render"
)

// TestsText returns the known test outcomes of a proposal, in one line for each capability.
func TestsText(t *policy.Tests) []string {
	if t == nil {
		return nil
	}
	var out []string
	for _, trial := range t.Trials {
		text := render.Trial(trial)
		if t.Claimed {
			text += " (from a record; the merge runs them again)"
		}
		out = append(out, text)
	}
	if t.Unrun != "" {
		out = append(out, "not run here: "+t.Unrun)
	}
	return out
}

// printTests shows test outcomes with their failures.
func printTests(c *console.Console, t *policy.Tests) {
	label := "tests"
	for _, text := range TestsText(t) {
		c.Field(label, console.OneLine(text))
		label = ""
	}
	if t == nil {
		return
	}
	for _, trial := range t.Trials {
		for _, failure := range slices.Concat(trial.Against, trial.Failing) {
			c.Field("", c.Style.Bad(console.OneLine(failure)))
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

// CaseVerdict is the verdict of a test case in its colour.
func CaseVerdict(c *console.Console, k suite.Result) string {
	switch k.Verdict {
	case suite.Pass:
		return c.Style.Good(string(k.Verdict))
	case suite.Skip:
		return c.Style.Warn(string(k.Verdict))
	}
	if !k.Required {
		return c.Style.Warn(string(k.Verdict))
	}
	return c.Style.Bad(string(k.Verdict))
}
