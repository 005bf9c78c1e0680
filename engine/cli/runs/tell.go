package runs

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/flows/notice"
	"github.com/assent-dev/assent/engine/flows/notify"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// Notifying lists the commands that may cause a new notice.
func Notifying() []string {
	return []string{
		"new", "propose", "update", "fill", "rebase", "withdraw", "reopen", "undo", "adopt", "review", "merge", "import", "pull", "push", "reconcile", "migrate", "gc", "health",
		"soul edit", "soul restore", "roles add", "roles remove", "keys revoke", "test add", "upstream check", "hear", "work", "mission run",
		"gap", "run start", "run retry", "run approve", "run cancel", "task next", "task done", "task fail",
	}
}

// NotifyAfter sends notices after a command that may have caused new ones. A failure is reported
// and does not change the command's result.
func NotifyAfter(ctx context.Context, c *console.Console, cmd *cobra.Command) {
	if c.Opened == nil || !slices.Contains(Notifying(), strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")) {
		return
	}
	if dry, err := cmd.Flags().GetBool("dry-run"); err == nil && dry {
		return
	}
	NotifyWaiting(ctx, c)
}

// NotifyWaiting sends the new notices of the workspace that was opened last.
func NotifyWaiting(ctx context.Context, c *console.Console) {
	box, targets, diags, err := readTargets(c)
	if err != nil || len(targets) == 0 && len(diags) == 0 {
		return
	}
	if diags.HasErrors() {
		c.Complain("%s no one is notified: %s", c.Style.Warn("warning:"), console.OneLine(diags[0].String()))
		return
	}
	done, err := sendNew(ctx, box, targets, c.Opened, notify.How{})
	if err != nil {
		c.Complain("%s no one is notified: %s", c.Style.Warn("warning:"), console.OneLine(err.Error()))
	}
	warnUndelivered(c, box, targets, done)
}

// warnUndelivered names each target that did not take a notice, once.
func warnUndelivered(c *console.Console, box notify.Box, targets []notice.Target, done []notify.Delivery) {
	failed := func(target string) bool {
		return slices.ContainsFunc(done, func(d notify.Delivery) bool { return d.Target == target && d.Error != "" })
	}
	outages, err := box.Outages(targets)
	if err != nil {
		return // Tell has reported it
	}
	for _, o := range outages {
		if failed(o.Target) {
			warnOutage(c, o)
		}
	}
}

func warnOutage(c *console.Console, o notify.Outage) {
	c.Complain("%s %s; %s", c.Style.Warn("warning:"), console.OneLine(o.String()), console.OneLine(o.Fix()))
}

// readTargets reads the user's own notify.yaml; without one there are no targets.
func readTargets(c *console.Console) (notify.Box, []notice.Target, diag.List, error) {
	home, err := keys.Home()
	box := notify.Box{Dir: home, Now: c.World.Now}
	if err != nil {
		return box, nil, nil, err
	}
	targets, diags, err := box.Targets()
	return box, targets, diags, err
}

// sendNew observes all open proposals, and those that were waiting before, and sends the new
// notices.
func sendNew(ctx context.Context, box notify.Box, targets []notice.Target, w *workspace.Workspace, how notify.How) ([]notify.Delivery, error) {
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
	pages := map[string]string{}
	for _, id := range ids {
		ex, err := cur.Examine(ctx, id)
		if err != nil {
			continue // status and doctor report the fault
		}
		pages[id] = ex.Case.Pull.URL
		if n, ok := notice.Of(ex.Case, ex.Verdict, ex.Risk); ok {
			maker, err := task.MakerOf(cur, id)
			if err != nil {
				return nil, err
			}
			if maker.Text() != "" && n.Event == notice.Waiting {
				n.Reasons = append(n.Reasons, maker.Text())
			}
			notices = append(notices, n)
		}
	}
	about, err := aboutRuns(ctx, cur, pages)
	if err != nil {
		return nil, err
	}
	return box.Tell(ctx, targets, append(notices, about...), how)
}

// aboutRuns returns the notices of all runs that go on or ended recently; none of these is folded. pages are the known
// pages of proposals on a service.
func aboutRuns(ctx context.Context, cur workspace.Session, pages map[string]string) ([]notice.Notice, error) {
	states, _, err := cur.Runs.Standing()
	if err != nil || len(states) == 0 {
		return nil, err
	}
	defs, err := task.DefinitionsOf(cur)
	if err != nil {
		return nil, err
	}
	var out []notice.Notice
	most := len(pages) + maxAsked
	for _, s := range states {
		if s.Outcome == "" || cur.Now().Sub(s.At) < task.Recently {
			flow, err := defs.Of(ctx, s)
			if err != nil {
				return nil, err
			}
			out = append(out, notice.OfRun(s, notice.Around{
				Flow: flow.Workflow, Roles: cur.Policies.Roles, Workspace: cur.ID(), Link: pageOf(ctx, cur, s, pages, most), Now: cur.Now(),
				Takers: func(j workflow.Job) []string {
					return task.Takers(cur.Policies.Roles, task.Task{Run: s, Flow: flow.Workflow, Job: j}, cur.Now())
				},
			})...)
		}
	}
	return out, nil
}

// asksFor is how long after its end the service is asked for the page of a run's proposal: by then its notice was sent.
const asksFor = time.Hour

// maxAsked is for how many pages the service is asked at once: anyone who can push can write runs.
const maxAsked = 20

// pageOf returns the page of a run's proposal on a service. It is "" if the proposal has no page, if the service does
// not answer, and for a proposal whose page is not known once most pages are.
func pageOf(ctx context.Context, cur workspace.Session, s run.State, pages map[string]string, most int) string {
	if _, known := pages[s.Proposal]; !known && len(pages) < most && s.Proposal != "" && (s.Outcome == "" || cur.Now().Sub(s.At) < asksFor) {
		pull, _ := cur.Forge.Get(ctx, s.Proposal) // a notice without a link is better than none
		pages[s.Proposal] = pull.URL
	}
	return pages[s.Proposal]
}
