package output

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// maxBlocking is how many findings why shows; show has them all.
const maxBlocking = 5

// PrintWayOut shows the ways out of a verdict that does not allow: the blocking findings, the
// events that could change it and how to cause each, and the next command.
func PrintWayOut(c *console.Console, v Proposal) {
	if v.State == "merged" {
		c.Field("next", v.Next+", if it is to be taken back")
		return
	}
	var blocking diag.List
	for _, d := range v.Diagnostics {
		if d.Severity == diag.Error {
			blocking.Add(d)
		}
	}
	if len(blocking) > 0 {
		c.Printf("what validation refuses, with what to do:\n")
		c.Diagnostics(c.World.Out, blocking[:min(len(blocking), maxBlocking)])
		if more := len(blocking) - maxBlocking; more > 0 {
			c.Printf("  … and %d more: assent show %s\n", more, names.ShellWord(console.OneLine(v.ID)))
		}
	}
	for _, f := range v.Conflicts {
		c.Field("conflict", console.OneLine(f)+" was changed on main, too")
	}
	if len(v.Verdict.Changes) > 0 {
		c.Printf("what could change it:\n")
	}
	for _, event := range v.Verdict.Changes {
		c.Field(event, console.OneLine(wayOf(event, v)))
	}
	printNext(c, v)
}

// wayOf says how to cause an event that could change a verdict.
func wayOf(event string, v Proposal) string {
	switch event {
	case policy.OnReview:
		var who []string
		for _, w := range v.Verdict.WaitingFor {
			if w.Role != policy.RoleProposer {
				who = append(who, WaitText(w))
			}
		}
		if len(who) == 0 {
			return "a review by an objector or a possible approver: assent review " + names.ShellWord(v.ID)
		}
		return "a review by " + strings.Join(who, "; ") + ": assent review " + names.ShellWord(v.ID)
	case policy.OnPush:
		return "other content, by " + v.Agent + ": " + v.update()
	case policy.OnReport:
		if all := v.blocking(); len(all) > 0 {
			return "results of the required checks that did not pass (" + strings.Join(all, ", ") + "), signed by a runner's key: " + strings.Join(v.checkSteps(), "; ")
		}
		return "a new report, which each push and assent merge " + names.ShellWord(v.ID) + " make"
	case policy.OnPolicy:
		return "other policies, which are a proposal of their own: assent propose, with the file of policies/ changed"
	case policy.OnTime:
		return "time: assent status shows the dates"
	case policy.OnOthers:
		return "other proposals of " + v.Agent + " end, merged or withdrawn: assent status --agent " + names.ShellWord(v.Agent)
	case policy.OnState:
		return "reopened, renewed or marked as ready: assent reopen " + names.ShellWord(v.ID)
	}
	return event
}
