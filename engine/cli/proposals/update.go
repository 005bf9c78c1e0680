package proposals

import (
	"context"
	"errors"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

// updateOptions are those of propose, for a proposal that is there already.
type updateOptions struct {
	proposeOptions
	id string
}

func newUpdate(c *console.Console) *cobra.Command {
	var o updateOptions
	cmd := &cobra.Command{
		Use:   "update ID [DIR | FILE | - | PATH...]",
		Short: "Put new content on an open proposal",
		Long: `Update lays a change over what an open proposal has: files that it names are
replaced, the others stay, and so does what the draft leaves out. The result is
validated again; approvals of other content count no longer.

The change comes from the same places as with propose; without any, from the
current branch and worktree, or from PATHs of it. Where the proposal's own branch is
checked out, edits and commits made there are taken. With --goal, --differs-from or
--delete alone, only that changes. A skill's folder keeps its place in the proposal.

A file that lacks what others brought after you had edited it is refused, unless you
name it.`,
		Example: `  assent update parse-csv-k3v9q2mt ./my-skill
  assent update parse-csv-k3v9q2mt -f draft.md --files ./change
  assent update parse-csv-k3v9q2mt --delete skills/data/parse-csv/old.md`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: complete.First(complete.OpenProposals(c)),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.id = args[0]
			var err error
			if o.source, o.only, err = readArguments(c, args[1:]); err != nil {
				return err
			}
			if err := o.wholeWorktree(c); err != nil {
				return err
			}
			return runUpdate(cmd.Context(), c, o)
		},
	}
	o.flags(cmd, c)
	cmd.Flags().StringArrayVar(&o.remove, "delete", nil, "remove the file or folder at this `PATH` from the proposal, and from the content in force; may be repeated")
	return cmd
}

func runUpdate(ctx context.Context, c *console.Console, o updateOptions) error {
	cur, pull, err := c.Target(ctx, o.id)
	if err != nil {
		return err
	}
	r, notes, err := o.request(ctx, c, cur, pull)
	if err != nil {
		return err
	}
	for _, p := range o.remove {
		r.Delete = append(r.Delete, path.Clean(filepath.ToSlash(p)))
	}
	out, err := propose.Update(ctx, cur.Workspace, pull.ID, r)
	if other := (*propose.NotYours)(nil); errors.As(err, &other) {
		return notYours(err)
	}
	return printMoved(ctx, c, cur.Workspace, pull.ID, out, notes, o.dryRun, err)
}

// partly reports whether no files are given: only the proposal's own fields change, or files are
// removed.
func (o updateOptions) partly() bool {
	return (o.goal != "" || len(o.differs) > 0 || len(o.remove) > 0) && o.draft == "" && o.source == "" && len(o.files) == 0 && len(o.only) == 0
}

// refuseOver refuses edits that revert others' pushes to the proposal, and warns of a folder or
// draft that does.
func (o updateOptions) refuseOver(ctx context.Context, cur workspace.Session, pull forge.Pull, r propose.Request) (notes []string, err error) {
	worktree := o.draft == "" && len(o.files) == 0 && (o.source == "" || console.Inside(cur.Repo.Root(), o.source))
	diags, err := propose.RefuseOver(ctx, cur, pull, r.Edits, o.only, worktree)
	if err != nil {
		return nil, err
	}
	if diags.HasErrors() {
		return nil, console.Findings("the proposal is unchanged: the change is not valid", diags)
	}
	for _, d := range diags {
		notes = append(notes, d.String())
	}
	return notes, nil
}

func (o updateOptions) request(ctx context.Context, c *console.Console, cur workspace.Session, pull forge.Pull) (r propose.Request, notes []string, err error) {
	src, inPlace, err := propose.FromCheckout(cur.Workspace, pull.ID, o.only)
	if err != nil {
		return r, nil, err
	}
	inPlace = inPlace && o.draft == "" && o.source == "" && len(o.files) == 0
	if !o.partly() && !inPlace {
		if o.placed, err = propose.Placed(cur, pull); err != nil {
			return r, nil, err
		}
		o.updated = pull.ID
		if r, notes, err = o.proposeOptions.request(ctx, c, cur); err != nil {
			return r, notes, err
		}
		more, err := o.refuseOver(ctx, cur, pull, r)
		return r, append(notes, more...), err
	}
	if r, err = console.Proposer(cur, o.agent, o.dryRun); err != nil {
		return r, nil, err
	}
	if !o.partly() {
		if src.Diagnostics.HasErrors() {
			return r, nil, console.Findings("the proposal is unchanged: the change is not valid", src.Diagnostics)
		}
		r.Edits, r.Upon = src.Edits, pull.Head
		r.Origin = provenance.Origin{Way: provenance.Worktree, Digest: propose.DigestOf(src.Edits)}
	}
	r.Proposal.Goal, r.Tool = o.goal, o.madeWith
	notes, err = o.answer(cur, &r)
	return r, notes, err
}

func newRebase(c *console.Console) *cobra.Command {
	var agent string
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "rebase ID",
		Short: "Apply a proposal again to the content in force",
		Long: `Rebase builds an open proposal again on the content in force: a section edit is made
again, and so are additions to policies/roles.yaml; files stay as proposed. A file that
main changed meanwhile is not overwritten but named, with how to settle it.

An approval stands as long as the change is the same.`,
		Example:           `  assent rebase parse-csv-k3v9q2mt`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: complete.First(complete.OpenProposals(c)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runRebase(cmd.Context(), c, args[0], agent, dryRun)
		},
	}
	complete.AgentFlag(cmd, c, &agent)
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "say what would come of it, but write nothing")
	return cmd
}

func runRebase(ctx context.Context, c *console.Console, id, agent string, dryRun bool) error {
	cur, pull, err := c.Target(ctx, id)
	if err != nil {
		return err
	}
	r := propose.Request{By: console.Who(c, cur, agent), DryRun: dryRun, Origin: provenance.Origin{Way: provenance.Rebase}}
	out, err := propose.Rebase(ctx, cur.Workspace, pull.ID, r)
	return printMoved(ctx, c, cur.Workspace, pull.ID, out, nil, dryRun, err)
}

// printMoved shows the result of update and rebase. An update without a change is no failure.
func printMoved(ctx context.Context, c *console.Console, w *workspace.Workspace, id string, out propose.Outcome, notes []string, dryRun bool, err error) error {
	switch {
	case errors.Is(err, propose.ErrNothing):
		cur, err := w.Session(ctx)
		if err != nil {
			return err
		}
		ex, err := cur.Examine(ctx, id)
		if err != nil {
			return err
		}
		c.Progress("%s", propose.ErrNothing)
		return output.PrintAnswer(c, output.ProposalOf(ex))
	case err != nil:
		return console.Stale(err)
	case out.Diagnostics.HasErrors():
		return console.Findings("the proposal is unchanged: the change is not valid", out.Diagnostics)
	}
	return output.PrintOutcome(c, w, out, notes, dryRun)
}
