package output

import (
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/flows/reconcile"
	"github.com/assent-dev/assent/engine/workspace"
)

// maxInbox bounds the branches that are shown: anyone who may push to the inbox can push many.
const maxInbox = 20

// PrintInbox shows the branches in the inbox, and what to type so that they become proposals. remote is where they came
// from, "" if that is unknown.
func PrintInbox(c *console.Console, w *workspace.Workspace, all []reconcile.Offered, remote string) {
	for _, o := range all[:min(len(all), maxInbox)] {
		c.Printf("%s  %s\n", c.Style.Bold(console.OneLine(o.Branch)), console.OneLine(o.Subject))
	}
	if more := len(all) - maxInbox; more > 0 {
		c.Printf("and %d more in the inbox\n", more)
	}
	if len(all) == 0 {
		return
	}
	if remote == "" && console.HasRemote(w) {
		remote = console.DefaultRemote
	}
	command := "assent reconcile"
	if remote != "" && !w.Forge.Traits().Agreed { // else the pass asks the service's inbox itself
		command += " --remote " + names.ShellWord(remote)
	}
	c.Field("next", command+" makes proposals of what is in the inbox")
}
