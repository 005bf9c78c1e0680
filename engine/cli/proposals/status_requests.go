package proposals

import (
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/flows/notify"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/home/keys"
)

// shownRequests bounds how many runs status prints; JSON has all.
const shownRequests = 10

// printApprovals shows the jobs that wait for the caller's approval.
func printApprovals(c *console.Console, all []task.Approval, now time.Time) {
	for _, a := range all {
		text := "of " + a.Workflow
		if a.For != "" {
			text += ", for " + a.For
		}
		text += ", " + console.Ago(now, a.Asked) + ", waits until " + a.Until.Local().Format("2006-01-02 15:04") + " for an approval by " + a.Approve
		if a.Message != "" {
			text += ": " + a.Message
		}
		c.Printf("run %s  %s\n", c.Style.Bold(console.OneLine(a.Run+"/"+a.Job)), console.OneLine(text))
		c.Optional("but", console.OneLine(a.Fails))
		c.Field("next", console.OneLine(a.Command))
	}
}

// printRequests shows what became of runs that someone asked for.
func printRequests(c *console.Console, all []task.Request, now time.Time) {
	for i, r := range all {
		if i == shownRequests {
			c.Printf("%s more: assent runs --all\n", console.Plural(len(all)-i, "run"))
			return
		}
		state := r.State
		switch {
		case r.Reason != "":
			state += ": " + r.Reason
		case r.HeldBy != "":
			state += ", waits for another run of its group: " + r.HeldBy
		case len(r.WaitsFor) > 0:
			state += ", waits for " + strings.Join(r.WaitsFor, ", ")
			if r.Approve != "" {
				state += ": " + r.Approve
			}
			if r.Lacks != "" {
				state += ", and lacks someone: " + r.Lacks
			}
		case r.State == "active" && r.Proposal != "":
			state += ": assent why " + names.ShellWord(r.Proposal)
		}
		c.Printf("run %s  of %s, for %s, %s: %s\n", c.Style.Bold(console.OneLine(r.Run)), console.OneLine(r.Workflow), console.OneLine(r.For), console.Ago(now, r.At), console.OneLine(state))
	}
}

// outages lists the targets of this user that did not take some notices.
func outages(c *console.Console) ([]notify.Outage, error) {
	home, err := keys.Home()
	if err != nil {
		return nil, err
	}
	box := notify.Box{Dir: home, Now: c.World.Now}
	targets, _, err := box.Targets()
	if err != nil || len(targets) == 0 {
		return nil, err
	}
	return box.Outages(targets)
}
