package runs

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/flows/reconcile"
	"github.com/assent-dev/assent/engine/flows/serve"
	"github.com/assent-dev/assent/engine/flows/task"
)

func newReconcile(c *console.Console) *cobra.Command {
	var o serve.Options
	cmd := &cobra.Command{
		Use:   "reconcile",
		Short: "Do once what the workflows in force call for",
		Long: `Reconcile makes one pass: branches pushed to inbox/AGENT/NAME become proposals, open
ones are validated, approved ones merged, expired ones closed, as the workflows in
force say. After a repair it is asked whether skills are still needed that apply to what
was repaired. It is meant for cron and continuous integration; several at once are
safe, and one that was killed is finished by the next.

Where pull requests are shown by a service, the inbox is that of the remote. With
--remote, a remote without a service is pulled from before, its inbox included, and
pushed to afterwards, as assent serve --once does; --dry-run does not ask it. Without
--remote, what it does stays in this clone until assent push publishes it.

Each schedule that fired since the last pass in this clone is followed once. Where the
clone remembers none, all are but for tests of what is in force (uses: health), which
wait for the next time. For a clone that is made for one pass, --since says how long
ago the pass before was.

It ends with 1 when a branch of the inbox cannot become a proposal; it stays, and
is reported on each pass.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runReconcile(cmd.Context(), c, o) },
	}
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "say what would be done first, but do nothing")
	cmd.Flags().DurationVar(&o.Since, "since", 0, "take the pass before to have been `DURATION` ago, where this clone remembers none")
	cmd.Flags().IntVar(&c.Workers, "workers", task.DefaultWorkers(), "run at most `N` scripts of workflows at the same time")
	cmd.Flags().StringVar(&o.Remote, "remote", "", "the `REMOTE` to pull from before and to push to after")
	return cmd
}

func runReconcile(ctx context.Context, c *console.Console, o serve.Options) error {
	if err := checkWorkers(c.Workers); err != nil {
		return err
	}
	if o.Since < 0 {
		return console.Usage("--since %s is in the future", o.Since)
	}
	if o.Remote != "" {
		w, err := c.Open()
		if err != nil {
			return err
		}
		if err := knownRemote(w, o.Remote); err != nil {
			return err
		}
		if !o.DryRun {
			return passOnce(ctx, c, o)
		}
		c.Complain("a dry run does not ask %s: these are the actions by the local state", console.OneLine(o.Remote))
		o.Remote = ""
	}
	out, err := makePass(ctx, c, o)
	if err != nil && len(out.Results) == 0 {
		return err
	}
	local := unpublished(c, out.Results)
	if c.JSON {
		if shown := c.Emit(append([]reconcile.Result{}, out.Results...)); shown != nil {
			return shown
		}
	} else {
		printReconciled(c, out.Results)
		if len(local) > 0 {
			c.Printf("%s merged in this clone only: %s; next: %s\n", c.Style.Warn("not published:"), console.OneLine(strings.Join(local, ", ")), publish)
		}
	}
	if err != nil {
		return err
	}
	return leftBehind(out.Results)
}

// publish is the command that publishes what a pass without --remote did.
const publish = "assent push"

// unpublished names the proposals that a pass merged where the remote has not got main yet, and makes publishing the
// next step of them. Where a service shows pull requests, main moves there.
func unpublished(c *console.Console, results []reconcile.Result) (out []string) {
	w, err := c.Open()
	if err != nil || w.Forge.Traits().Remote != "" || !console.HasRemote(w) {
		return nil
	}
	for i, r := range results {
		if r.Outcome == reconcile.Merged {
			results[i].Next = publish
			out = append(out, r.Subject)
		}
	}
	return out
}

// leftBehind makes a finding of branches that cannot become proposals.
func leftBehind(results []reconcile.Result) error {
	for _, r := range results {
		if r.Outcome == reconcile.Left {
			return console.Quiet(console.ExitFindings)
		}
	}
	return nil
}

func printReconciled(c *console.Console, results []reconcile.Result) {
	if len(results) == 0 {
		c.Printf("nothing to do\n")
	}
	for _, r := range results {
		name := console.OneLine(r.Subject)
		if r.Proposal != "" {
			name += " as " + console.OneLine(r.Proposal)
		}
		line := outcomeStyle(c, r.Outcome, r.Action) + " " + c.Style.Bold(name)
		if r.Reason != "" {
			line += "  " + console.OneLine(r.Reason)
		}
		c.Printf("%s\n", line)
		c.Diagnostics(c.World.Out, r.Diagnostics)
		output.PrintCheckout(c, r.Worktree, nil)
	}
}

// foreseen are phrases for the effects of actions, if their names do not say it.
var foreseen = map[string]string{
	reconcile.DoGC: "look for unneeded ones among the", reconcile.DoHealth: "test the", reconcile.DoInbox: "propose",
	reconcile.DoShow: "show the state of", reconcile.DoAsk: "ask about", reconcile.DoUnqueue: "take out of the queue",
}

func outcomeStyle(c *console.Console, outcome, action string) string {
	switch outcome {
	case reconcile.Left, reconcile.Refused, reconcile.Failed:
		return c.Style.Bad(outcome)
	case reconcile.Would:
		return c.Style.Warn("would " + cmp.Or(foreseen[action], action))
	case reconcile.Lost, reconcile.Expired:
		return c.Style.Warn(outcome)
	}
	return c.Style.Good(outcome)
}
