package runs

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/proposals/gc"
)

func newGC(c *console.Console) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "gc",
		Short: "Propose to archive what is deprecated or unused, and needed by nothing",
		Long: `Gc looks at every deprecated capability in force, and at those that agents made and no
trial used for longer than policies/retention.yaml says (unused:). A deprecated one that
has stayed as it is for longer than that file says (deprecated:), and that an active one
with all of its tests supersedes, is proposed for archiving if nothing in force requires,
calls or names it. So is an unused one, unless it alone has its tests. The evidence is in
the proposal. The others stay, and gc says why.

Nothing counts as unused unless known installations recorded trials both before that
period and in it.

Nothing is removed by this: each proposal needs who must approve, and assent undo takes
a merged one back. What is proposed already, or was declined as it is, is not proposed
again. A workflow with uses: gc does the same on a schedule.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runGC(cmd.Context(), c, dryRun) },
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "say what would be proposed, but propose nothing")
	return cmd
}

func runGC(ctx context.Context, c *console.Console, dryRun bool) error {
	open := c.Joined
	if dryRun {
		open = c.Consulted
	}
	cur, err := open(ctx)
	if err != nil {
		return err
	}
	found, err := gc.Run(ctx, cur.Workspace, dryRun)
	if c.JSON && err == nil {
		return c.Emit(append([]gc.Result{}, found...))
	}
	if len(found) == 0 && err == nil {
		c.Printf("nothing is deprecated or known to be unused\n")
	}
	for _, r := range found {
		printCollected(c, r)
	}
	return err
}

func printCollected(c *console.Console, r gc.Result) {
	outcome := r.Outcome
	switch r.Outcome {
	case gc.Proposed:
		outcome = c.Style.Good(outcome)
	case gc.Would:
		outcome = c.Style.Warn(outcome)
	}
	name := c.Style.Bold(console.OneLine(r.Capability))
	if r.Proposal != "" {
		name += " as " + console.OneLine(r.Proposal)
	}
	c.Printf("%s %s\n", outcome, name)
	for _, reason := range r.Reasons {
		c.Printf("  %s\n", c.Style.Dim(console.OneLine(reason)))
	}
}
