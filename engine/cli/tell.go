package cli

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/flows/notice"
	"github.com/assent-dev/assent/engine/flows/notify"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/workspace"
)

// telling are the commands after which somebody may be waited for who was not before.
func telling() []string {
	return []string{
		"propose", "update", "rebase", "withdraw", "reopen", "undo", "adopt", "review", "merge", "import", "pull", "push", "reconcile", "migrate", "edit", "restore", // of soul
		"gap", "start", "cancel", "next", "done", "fail", // of runs and tasks
	}
}

// tellAfter tells whoever is waited for after a command that may have changed it.
// Whatever goes wrong is said and changes nothing about how the command ended.
func (c *console) tellAfter(ctx context.Context, cmd *cobra.Command) {
	if c.opened == nil || !slices.Contains(telling(), cmd.Name()) {
		return
	}
	if dry, err := cmd.Flags().GetBool("dry-run"); err == nil && dry {
		return
	}
	c.tellWhoWaits(ctx)
}

// tellWhoWaits tells what is new in the workspace that was opened last.
func (c *console) tellWhoWaits(ctx context.Context) {
	box, targets, diags, err := c.targets()
	if err != nil || len(targets) == 0 && len(diags) == 0 {
		return
	}
	if diags.HasErrors() {
		c.complain("%s nobody is told: %s", c.style.warn("warning:"), oneLine(diags[0].String()))
		return
	}
	done, err := c.tell(ctx, box, targets, c.opened, false)
	if err != nil {
		c.complain("%s nobody is told: %s", c.style.warn("warning:"), oneLine(err.Error()))
	}
	c.undelivered(done)
}

func (c *console) undelivered(done []notify.Delivery) {
	for _, d := range done {
		switch {
		case d.Error == "":
		case d.Notice.Event == notice.Trial:
			c.complain("%s %s did not take the trial: %s", c.style.warn("warning:"), oneLine(d.Target), oneLine(d.Error))
		default:
			c.complain("%s %s was not told of %s: %s; it is tried again by a later command, or by: assent notify send",
				c.style.warn("warning:"), oneLine(d.Target), oneLine(d.Notice.Proposal), oneLine(d.Error))
		}
	}
}

// targets reads the user's own notify.yaml; there are none without one.
func (c *console) targets() (notify.Box, []notice.Target, diag.List, error) {
	home, err := keys.Home()
	box := notify.Box{Dir: home, Now: c.world.Now}
	if err != nil {
		return box, nil, nil, err
	}
	src, file, ok, err := box.Config()
	if err != nil || !ok {
		return box, nil, nil, err
	}
	targets, diags := notice.Parse(file, src)
	return box, targets, diags, nil
}

// tell observes all open proposals, and those that were waited for before, and tells
// what is new.
func (c *console) tell(ctx context.Context, box notify.Box, targets []notice.Target, w *workspace.Workspace, dry bool) ([]notify.Delivery, error) {
	cur, err := w.Session(ctx)
	if err != nil {
		return nil, err
	}
	ids, err := box.Waiting(cur.ID())
	if err != nil {
		return nil, err
	}
	open, err := w.Forge.List(ctx, forge.Filter{State: forge.Open})
	if _, err = forge.Damages(err); err != nil {
		return nil, err
	}
	for _, p := range open {
		if !slices.Contains(ids, p.ID) {
			ids = append(ids, p.ID)
		}
	}
	var notices []notice.Notice
	for _, id := range ids {
		ex, err := cur.Examine(ctx, id)
		if err != nil {
			continue // status and doctor say what is wrong with it
		}
		if n, ok := notice.Of(ex.Case, ex.Verdict, ex.Risk); ok {
			notices = append(notices, n)
		}
	}
	about, err := aboutRuns(cur)
	if err != nil {
		return nil, err
	}
	return box.Tell(ctx, targets, append(notices, about...), dry)
}

// recently is how long after its end a run may be told of: who hears of it later hears
// of it from assent runs.
const recently = 7 * 24 * time.Hour

// aboutRuns are the notices of all runs that go on or ended not long ago, which none is
// folded of.
func aboutRuns(cur workspace.Session) ([]notice.Notice, error) {
	states, _, err := cur.Runs.Standing()
	if err != nil || len(states) == 0 {
		return nil, err
	}
	flows, err := task.Workflows(cur)
	if err != nil {
		return nil, err
	}
	var out []notice.Notice
	for _, s := range states {
		if s.Outcome == "" || cur.Now().Sub(s.At) < recently {
			out = append(out, notice.OfRun(s, flowOf(flows, s), cur.Policies.Roles, cur.ID(), cur.Now())...)
		}
	}
	return out, nil
}
