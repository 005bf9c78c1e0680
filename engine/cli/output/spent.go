package output

import (
	"fmt"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// LeftRun says that a mission leaves a run active, and what to do about it. What the run brings is of use if the mission
// succeeded with it.
func LeftRun(id string, outcome trial.Outcome) string {
	next := "; end it: assent run cancel " + names.ShellWord(id)
	if outcome == trial.Success {
		next = ": assent run show " + names.ShellWord(id) + " says what is left to do"
	}
	return "it leaves the run " + id + " active" + next
}

// AgentsCommands are those whose use a run adds up, for SpentText.
const AgentsCommands = "agents' commands"

// SpentText says what runs of commands used, such as "2 runs of the command, 4.2s, 100 tokens, 0.25 $".
func SpentText(of string, s run.Spent) string {
	line := console.Plural(s.Runs, "run") + " of " + of
	if s.Lost > 0 {
		line += fmt.Sprintf(" and %d without a result", s.Lost)
	}
	line += ", " + Lasted(s.MS)
	if s.Tokens > 0 || s.Cost > 0 || s.Lost > 0 {
		line += ", " + Used(s.Tokens, s.Cost, s.AtLeast)
	}
	return line
}

// Used is what commands say that they used; more if one of them does not say.
func Used(tokens int64, cost float64, more bool) string {
	line := fmt.Sprintf("%d tokens", tokens)
	if cost > 0 {
		line += fmt.Sprintf(", %.2f $", cost)
	}
	switch {
	case !more:
		return line
	case tokens == 0 && cost == 0:
		return "tokens and cost not known"
	}
	return "at least " + line
}

// Lasted shows a duration in milliseconds: 85ms, 4.2s, 12m3s.
func Lasted(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	switch {
	case d >= time.Minute:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.String()
}
