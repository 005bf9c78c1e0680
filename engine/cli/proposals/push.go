package proposals

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

func newPush(c *console.Console) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "push [REMOTE] [ID...]",
		Short: "Publish what this clone knows and the remote does not",
		Long: `Push publishes proposals with their journals, and main where that only moves it
forward, to a remote (origin, unless you name one). All of it arrives at once or not
at all. Where others were faster, their work is taken in as assent pull does it,
and yours follows.

With IDs, only these proposals are published, and main only if it merges one of
them.`,
		Example: `  assent push
  assent push origin parse-csv-k3v9q2mt`,
		ValidArgsFunction: complete.First(complete.AnyProposal(c)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runPush(cmd.Context(), c, args, dryRun)
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "ask the remote and say what would move there, but send nothing")
	return cmd
}

func runPush(ctx context.Context, c *console.Console, args []string, dryRun bool) error {
	w, err := c.Reach(ctx)
	if err != nil {
		return err
	}
	o, err := pushOptions(ctx, c, w, args)
	if err != nil {
		return err
	}
	o.DryRun = dryRun
	if err := takeOwn(ctx, c, w, o); err != nil {
		return err
	}
	out, err := exchange.Push(ctx, w, o)
	if err != nil {
		return console.ExchangeFailed(err)
	}
	invite := ""
	if !dryRun && len(o.IDs) == 0 {
		invite = invitation(ctx, w, out)
	}
	if c.JSON {
		v := output.PushedOf(out, dryRun)
		v.Invite = invite
		if err := c.Emit(v); err != nil {
			return err
		}
	} else {
		output.PrintPushed(c, out, dryRun)
		c.Optional("invite", invite)
	}
	if len(out.Held) > 0 && !dryRun {
		return output.HeldBack(c, out)
	}
	return nil
}

// takeOwn records commits of this session on proposals' branches as its pushes. A clone in
// which nothing can be judged publishes all the same.
func takeOwn(ctx context.Context, c *console.Console, w *workspace.Workspace, o exchange.Options) error {
	cur, err := w.Session(ctx)
	if err != nil || o.DryRun {
		return nil //nolint:nilerr // faults of main do not concern a push
	}
	ids := o.IDs
	if len(ids) == 0 {
		if ids, err = propose.Unpublished(cur.Workspace, o.Remote); err != nil {
			return err
		}
	}
	return propose.TakeOwn(ctx, cur, console.Acting(c, cur), ids...)
}

// pushOptions separates a remote from proposals: a first argument that names a remote is one.
func pushOptions(ctx context.Context, c *console.Console, w *workspace.Workspace, args []string) (exchange.Options, error) {
	o := exchange.Options{Remote: console.DefaultRemote, Say: func(line string) { c.Progress("%s", console.OneLine(line)) }}
	if len(args) > 0 && w.Repo.Config("remote."+args[0]+".url") != "" {
		o.Remote, args = args[0], args[1:]
	}
	for i, arg := range args {
		pull, err := propose.Resolve(ctx, w, arg)
		if i == 0 && o.Remote == console.DefaultRemote && errors.Is(err, forge.ErrNotFound) {
			return o, &console.Failure{Code: console.ExitUsage, Err: fmt.Errorf("%s is neither a remote nor a proposal", arg),
				Hint: "git remote -v lists the remotes, assent status --all the proposals"}
		}
		if err != nil {
			return o, err
		}
		o.IDs = append(o.IDs, pull.ID)
	}
	return o, nil
}
