package proposals

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

// endOptions are the flags of withdraw and reopen.
type endOptions struct {
	id, reason, agent string
	dryRun            bool
}

func newWithdraw(c *console.Console) *cobra.Command {
	var o endOptions
	cmd := &cobra.Command{
		Use:   "withdraw ID",
		Short: "End a proposal without merging it",
		Long: `Withdraw closes an open proposal. Its proposer may, and every human whom
policies/roles.yaml lists. Nothing is lost: assent reopen brings it back.`,
		Example:           `  assent withdraw parse-csv-k3v9q2mt --reason "the csv skill can do it already"`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: complete.First(complete.OpenProposals(c)),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.id = args[0]
			return runWithdraw(cmd.Context(), c, o)
		},
	}
	cmd.Flags().StringVarP(&o.reason, "reason", "m", "", "why, for the record")
	complete.AgentFlag(cmd, c, &o.agent)
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "say whether it could be withdrawn, but close nothing")
	return cmd
}

func runWithdraw(ctx context.Context, c *console.Console, o endOptions) error {
	cur, pull, err := c.Target(ctx, o.id)
	if err != nil {
		return err
	}
	by := console.Who(c, cur, o.agent)
	if o.dryRun {
		return mayEnd(ctx, c, cur, pull, by, "would withdraw")
	}
	ex, err := propose.Withdraw(ctx, cur, pull, by, o.reason)
	if err != nil {
		return notYours(err)
	}
	return printEnded(c, output.ProposalOf(ex), "withdrawn:")
}

func newReopen(c *console.Console) *cobra.Command {
	var o endOptions
	cmd := &cobra.Command{
		Use:   "reopen ID",
		Short: "Take up a proposal again that was rejected, withdrawn or expired",
		Long: `Reopen opens a closed proposal at the content that it had and validates it against
what is in force now. Its proposer may, and every human. Approval is asked for
again; decisions on the same content still stand, approvals for as long as they are
not older than expiry in policies/limits.yaml. An open proposal whose request for
approval has expired is renewed in the same way.`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: complete.First(complete.Both(complete.ClosedProposals(c), complete.OpenProposals(c))),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.id = args[0]
			return runReopen(cmd.Context(), c, o)
		},
	}
	complete.AgentFlag(cmd, c, &o.agent)
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "say whether it could be reopened, but open nothing")
	return cmd
}

func runReopen(ctx context.Context, c *console.Console, o endOptions) error {
	cur, pull, err := c.Target(ctx, o.id)
	if err != nil {
		return err
	}
	by := console.Who(c, cur, o.agent)
	if o.dryRun {
		return mayEnd(ctx, c, cur, pull, by, "would reopen")
	}
	out, err := propose.Reopen(ctx, cur, pull, by)
	if err != nil {
		return notYours(err)
	}
	if out.Diagnostics.HasErrors() {
		return console.Findings("it stays closed", out.Diagnostics)
	}
	v := output.ProposalOf(out.Examined)
	v.Share(cur.Workspace)
	return output.PrintAnswer(c, v)
}

// mayEnd shows the effect of ending or reopening a proposal, if by may do it.
func mayEnd(ctx context.Context, c *console.Console, cur workspace.Session, pull forge.Pull, by forge.Actor, what string) error {
	if err := propose.MayEnd(cur, pull, by); err != nil {
		return notYours(err)
	}
	ex, err := cur.Examine(ctx, pull.ID)
	if err != nil {
		return err
	}
	v := output.ProposalOf(ex)
	v.DryRun = true
	return printEnded(c, v, what)
}

// printEnded shows the new state of a proposal in one line.
func printEnded(c *console.Console, v output.Proposal, what string) error {
	if c.JSON {
		return c.Emit(v)
	}
	c.Printf("%s %s\n", what, c.Style.Bold(console.OneLine(v.ID)))
	if v.Next != "" && !v.DryRun {
		c.Field("next", v.Next)
	}
	return nil
}

func notYours(err error) error {
	var n *propose.NotYours
	if errors.As(err, &n) {
		return console.Refused("say who you are with --agent, or comment: assent comment "+names.ShellWord(n.ID), "%s", err)
	}
	return console.Stale(err)
}
