package runs

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/flows/task"
)

// retryOptions are the flags of repeating a run.
type retryOptions struct {
	id, agent      string
	failed, dryRun bool
}

func newRunRetry(c *console.Console) *cobra.Command {
	var o retryOptions
	cmd := &cobra.Command{
		Use:   "retry ID",
		Short: "Start a run that ended again, or only its failed jobs",
		Long: `Retry starts a new run with the inputs of one that ended, by the version of the
workflow in force. With --failed it keeps the results of the jobs that were done and need none
that is repeated, does the others, and follows the version of the run that it repeats. If
that run delivered files, the new one goes on with its open proposal. Without --failed it
begins with a new proposal, and the earlier one stays open.

A run that the next pass would end, such as one with an approval that expired, is ended first.
The new run is for the agent who asked for the first one, unless --agent names another.

It follows the new run as assent run start does, also on a remote, and ends with 1 if that failed.`,
		Example: `  assent run retry checks-k3v9q2mt --failed`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.id = args[0]
			return runRunRetry(cmd.Context(), c, o)
		},
	}
	cmd.Flags().BoolVar(&o.failed, "failed", false, "keep the results of the jobs that were done and need none that is repeated")
	beginFlags(cmd, c, &o.agent, &o.dryRun)
	return cmd
}

func runRunRetry(ctx context.Context, c *console.Console, o retryOptions) error {
	cur, err := joined(ctx, c, o.dryRun)
	if err != nil {
		return err
	}
	id, err := cur.Runs.Resolve(bare(o.id), false)
	if err != nil {
		return ofTask(err, "")
	}
	if !o.dryRun {
		if err := task.EndOverdue(ctx, cur, id); err != nil {
			return ofTask(err, id)
		}
	}
	b, err := task.Retry(ctx, cur, id, o.failed)
	if err != nil {
		return ofTask(err, id)
	}
	if b.DryRun = o.dryRun; b.Leaves != "" {
		c.Complain("%s the proposal of the earlier run stays open, and this one does not use it; to end it: assent withdraw %s", c.Style.Warn("warning:"), names.ShellWord(b.Leaves))
	}
	return beginRun(ctx, c, cur, b, o.agent)
}
