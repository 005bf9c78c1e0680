package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/propose"
	"github.com/assent-dev/assent/engine/provenance"
	"github.com/assent-dev/assent/engine/workspace"
)

// updateOptions are those of propose, for a proposal that is there already.
type updateOptions struct {
	proposeOptions
	id string
}

func newUpdate(c *console) *cobra.Command {
	var o updateOptions
	cmd := &cobra.Command{
		Use:   "update ID [DIR | FILE | -]",
		Short: "Put new content on an open proposal",
		Long: `Update lays a change over what an open proposal has: files that it names are
replaced, the others stay, and so does what the draft leaves out. The result is
validated anew; approvals of other content count no longer.

The change comes from the same places as with propose; without any, from the
current branch and worktree. With --goal or --differs-from alone, only what the
proposal says of itself changes.`,
		Example: `  assent update parse-csv-k3v9q2mt ./my-skill
  assent update parse-csv-k3v9q2mt -f draft.md --files ./change`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: first(c.openProposals),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.id = args[0]
			if len(args) == 2 {
				o.source = args[1]
			}
			return runUpdate(cmd.Context(), c, o)
		},
	}
	o.flags(cmd, c)
	return cmd
}

func runUpdate(ctx context.Context, c *console, o updateOptions) error {
	w, cur, pull, err := c.target(ctx, o.id)
	if err != nil {
		return err
	}
	r, notes, err := o.request(c, w, cur)
	if err != nil {
		return err
	}
	out, err := propose.Update(ctx, w, pull.ID, r)
	return c.moved(ctx, w, pull.ID, out, notes, o.dryRun, err)
}

// onlyText reports whether nothing but what the proposal says of itself is to change.
func (o updateOptions) onlyText() bool {
	return (o.goal != "" || len(o.differs) > 0) && o.draft == "" && o.source == "" && len(o.files) == 0
}

func (o updateOptions) request(c *console, w *workspace.Workspace, cur workspace.Current) (propose.Request, []string, error) {
	if !o.onlyText() {
		return o.proposeOptions.request(c, w, cur)
	}
	r, err := c.proposer(w, cur, o.agent, o.dryRun)
	if err != nil {
		return r, nil, err
	}
	r.Proposal.Goal = o.goal
	notes, err := o.answer(cur, &r)
	return r, notes, err
}

func newRebase(c *console) *cobra.Command {
	var agent string
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "rebase ID",
		Short: "Apply a proposal's intent to what is in force now",
		Long: `Rebase builds an open proposal anew on what is in force: a section edit is made
again, files stay as proposed. A file that main changed meanwhile is not
overwritten but named; write it as it shall be and update the proposal.

An approval stands as long as the change is the same.`,
		Example:           `  assent rebase parse-csv-k3v9q2mt`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: first(c.openProposals),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runRebase(cmd.Context(), c, args[0], agent, dryRun)
		},
	}
	c.agentFlag(cmd, &agent)
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "say what would come of it, but write nothing")
	return cmd
}

func runRebase(ctx context.Context, c *console, id, agent string, dryRun bool) error {
	w, cur, pull, err := c.target(ctx, id)
	if err != nil {
		return err
	}
	r := propose.Request{By: c.who(w, cur, agent), DryRun: dryRun, Origin: provenance.Origin{Way: provenance.Rebase}}
	out, err := propose.Rebase(ctx, w, pull.ID, r)
	return c.moved(ctx, w, pull.ID, out, nil, dryRun, err)
}

// moved shows what update and rebase came to. That there was nothing to do is no
// failure.
func (c *console) moved(ctx context.Context, w *workspace.Workspace, id string, out propose.Outcome, notes []string, dryRun bool, err error) error {
	switch {
	case errors.Is(err, propose.ErrNothing):
		cur, err := w.Current(ctx)
		if err != nil {
			return err
		}
		ex, err := w.Examine(ctx, cur, id)
		if err != nil {
			return err
		}
		c.progress("%s", propose.ErrNothing)
		return c.answer(viewOf(ex))
	case err != nil:
		return stale(err)
	case out.Diagnostics.HasErrors():
		return findings("the proposal stays as it was: the change cannot stand as it is", out.Diagnostics)
	}
	return c.outcome(w, out, notes, dryRun)
}
