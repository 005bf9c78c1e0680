package proposals

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/flows/reconcile"
	"github.com/assent-dev/assent/engine/workspace"
)

// pullOptions are the options of a pull.
type pullOptions struct {
	dryRun bool
	// replay gives up merges that only this clone has, and makes them again.
	replay bool
}

func newPull(c *console.Console) *cobra.Command {
	var o pullOptions
	cmd := &cobra.Command{
		Use:   "pull [REMOTE]",
		Short: "Take in what others pushed: proposals, decisions, merges",
		Long: `Pull fetches from the remote (origin, unless you name one) and brings main, the
proposals and their journals here forward. What you did to a proposal meanwhile
follows what others did; what is no longer possible, such as a review after the
merge, is kept aside and named. Files that you edited stay as they are. What was pushed
to the inbox is fetched and named, and becomes a proposal with assent reconcile.

Nothing comes into force by pulling: what arrives is judged as ever. When somebody
merged here and there, nothing moves at all; --replay then takes the merges that only
this clone has off main, and merges their proposals again upon the remote's, there and
here together. What was taken off stays below refs/assent-aside/.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runPull(cmd.Context(), c, remoteOf(args), o)
		},
	}
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "fetch and say what would move, but move nothing")
	cmd.Flags().BoolVar(&o.replay, "replay", false, "where main parted: give up merges that only this clone has, and make them again")
	return cmd
}

func remoteOf(args []string) string {
	if len(args) > 0 {
		return args[0]
	}
	return console.DefaultRemote
}

func runPull(ctx context.Context, c *console.Console, from string, o pullOptions) error {
	w, err := c.Reach(ctx)
	if err != nil {
		return err
	}
	c.Progress("fetching from %s", from)
	var given []exchange.GivenUp
	if o.replay {
		if given, err = exchange.GiveUp(ctx, w, from, o.dryRun); err != nil {
			return console.ExchangeFailed(err)
		}
		if o.dryRun && len(given) > 0 {
			return printReplayPlan(c, from, given)
		}
		if w, err = c.Reach(ctx); err != nil { // without memory of the given-up merges
			return err
		}
	}
	out, err := exchange.Pull(ctx, w, from, o.dryRun)
	if err != nil {
		return console.ExchangeFailed(err)
	}
	var inbox []reconcile.Offered
	if !o.dryRun {
		if inbox, err = takeInbox(ctx, w, from, &out); err != nil {
			return console.ExchangeFailed(err)
		}
	}
	v := output.PulledOf(out)
	v.DryRun, v.Inbox = o.dryRun, append([]reconcile.Offered{}, inbox...)
	var failed error
	if v.Replayed, failed = replayMerges(ctx, c, w, from, given); failed != nil && len(v.Replayed) < len(given) {
		return failed
	}
	var cur workspace.Session
	if !o.dryRun && !out.Main.New.IsZero() {
		if cur, _, err = w.Look(ctx); err != nil {
			return err
		}
		v.Blocked = append(v.Blocked, cur.Blocked...)
		if v.Unproposed, err = workspace.ListUnproposed(ctx, cur, out.Main.Old); err != nil {
			return err
		}
	}
	if c.JSON {
		if !o.dryRun {
			v.Synced = console.Synced(ctx, c)
		}
		if err := c.Emit(v); err != nil || out.Held == nil {
			return errors.Join(err, failed)
		}
		return console.Quiet(console.ExitWorld)
	}
	if o.dryRun {
		c.Printf("%s\n", c.Style.Warn("dry run: nothing moves here; this is what would"))
	}
	output.PrintPulled(c, out)
	output.PrintInbox(c, w, inbox, from)
	printReplayed(c, v.Replayed)
	if !o.dryRun && !out.Main.New.IsZero() {
		output.PrintStanding(c, cur)
		output.PrintUnproposed(c, v.Unproposed)
	}
	return errors.Join(mainHeld(out), failed)
}

// takeInbox fetches what was pushed to the remote's inbox, and returns what is no proposal yet.
func takeInbox(ctx context.Context, w *workspace.Workspace, from string, out *exchange.Pulled) ([]reconcile.Offered, error) {
	_, odd, err := exchange.TakeInbox(ctx, w, from)
	if err != nil {
		return nil, err
	}
	out.Problems = append(out.Problems, odd...)
	return reconcile.ListInbox(ctx, w)
}

// mainHeld says that main did not move although the remote's did.
func mainHeld(out exchange.Pulled) error {
	if out.Held == nil {
		return nil
	}
	return &console.Failure{Code: console.ExitWorld, Err: fmt.Errorf("main does not move: %w", out.Held),
		Hint: "the journals were pulled; the hub's operator restores its main with: git -C HUB update-ref refs/heads/main COMMIT"}
}
