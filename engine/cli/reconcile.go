package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/reconcile"
)

func newReconcile(c *console) *cobra.Command {
	var dryRun bool
	var remote string
	cmd := &cobra.Command{
		Use:   "reconcile",
		Short: "Do once what the workflows in force call for",
		Long: `Reconcile makes one pass: branches pushed to inbox/AGENT/NAME become proposals, open
ones are validated, approved ones merged, expired ones closed, as the workflows in
force say. It is meant for cron and continuous integration; several at once are
safe, and one that was killed is finished by the next.

Where pull requests are shown by a service, the inbox is that of the remote. With
--remote, a remote without a service is pulled from before, its inbox included, and
pushed to afterwards, as assent serve --once does.

It ends with 1 when a branch of the inbox cannot become a proposal; it stays, and
is reported on each pass.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runReconcile(cmd.Context(), c, remote, dryRun) },
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "say what would be done first, but do nothing")
	cmd.Flags().StringVar(&remote, "remote", "", "the `REMOTE` to pull from before and to push to after")
	return cmd
}

func runReconcile(ctx context.Context, c *console, remote string, dryRun bool) error {
	if remote != "" && !dryRun {
		return c.once(ctx, remote)
	}
	out, err := c.pass(ctx, "", dryRun)
	if err != nil && len(out.Results) == 0 {
		return err
	}
	if c.json {
		if shown := c.emit(append([]reconcile.Result{}, out.Results...)); shown != nil {
			return shown
		}
	} else {
		c.reconciled(out.Results)
	}
	if err != nil {
		return err
	}
	return leftBehind(out.Results)
}

// leftBehind makes a finding of branches that cannot become proposals.
func leftBehind(results []reconcile.Result) error {
	for _, r := range results {
		if r.Outcome == reconcile.Left {
			return quiet(exitFindings)
		}
	}
	return nil
}

func (c *console) reconciled(results []reconcile.Result) {
	if len(results) == 0 {
		c.printf("nothing to do\n")
	}
	for _, r := range results {
		name := oneLine(r.Subject)
		if r.Proposal != "" {
			name += " as " + oneLine(r.Proposal)
		}
		c.printf("%s %s  %s\n", c.outcomeStyle(r.Outcome, r.Action), c.style.bold(name), oneLine(r.Reason))
		c.diagnostics(c.world.Out, r.Diagnostics)
		c.worktree(r.Worktree, nil)
	}
}

func (c *console) outcomeStyle(outcome, action string) string {
	switch outcome {
	case reconcile.Left, reconcile.Refused, reconcile.Failed:
		return c.style.bad(outcome)
	case reconcile.Would:
		return c.style.warn("would " + action)
	case reconcile.Lost, reconcile.Expired:
		return c.style.warn(outcome)
	}
	return c.style.good(outcome)
}
