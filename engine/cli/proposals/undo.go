package proposals

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/archive"
)

// undoOptions are the flags of undo and adopt.
type undoOptions struct {
	what, agent, goal string
	dryRun            bool
}

func (o *undoOptions) flags(cmd *cobra.Command, c *console.Console) {
	complete.AgentFlag(cmd, c, &o.agent)
	cmd.Flags().StringVar(&o.goal, "goal", "", "what it is for, in one `LINE`")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "validate and judge, but write nothing")
}

func newUndo(c *console.Console) *cobra.Command {
	var o undoOptions
	cmd := &cobra.Command{
		Use:   "undo ID | COMMIT",
		Short: "Propose to take a merged proposal back",
		Long: `Undo opens a proposal that puts every file of a merged one back as it was before.
Files that were changed again since are named instead of overwritten. An undo is
a proposal like any other, and can be undone.`,
		Example: `  assent undo parse-csv-k3v9q2mt
  assent undo 4f2a91c`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: complete.First(complete.MergedProposals(c)),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.what = args[0]
			return runUndo(cmd.Context(), c, o)
		},
	}
	o.flags(cmd, c)
	return cmd
}

func runUndo(ctx context.Context, c *console.Console, o undoOptions) error {
	cur, err := c.Joined(ctx)
	if err != nil {
		return err
	}
	pull, err := mergedBy(ctx, cur.Workspace, o.what)
	if err == nil && pull.ID != o.what || errors.Is(err, forge.ErrNotFound) { // an archived name is no abbreviation of an id
		if r, archived, rerr := archive.Of(cur, o.what); archived || rerr != nil {
			return cmp.Or(rerr, console.Archived(r))
		}
	}
	if err != nil {
		return err
	}
	if pull.State != forge.Merged {
		return console.Refused("assent withdraw "+names.ShellWord(pull.ID)+" ends it", "%s is not merged, so there is nothing to undo", pull.ID)
	}
	r, diags, err := propose.Undo(cur, pull)
	if err != nil {
		return err
	}
	if diags.HasErrors() {
		return console.Findings("nothing was proposed: "+pull.ID+" cannot be taken back as it is", diags)
	}
	if len(r.Edits) == 0 {
		return console.Refused("assent log names the merge that undid it, which can be undone in turn", "nothing is left of %s: its files are as they were before", pull.ID)
	}
	if err := lacks(ctx, cur, pull); err != nil {
		return err
	}
	return openAs(ctx, c, cur, o, r)
}

// lacks names the undo that has to come first, if what the proposal archived refers to what was archived, too.
func lacks(ctx context.Context, cur workspace.Session, pull forge.Pull) error {
	all, err := archive.Records(cur)
	for _, r := range all {
		if r.Proposal != pull.ID {
			continue
		}
		first, err := r.First(ctx, cur)
		if err != nil {
			return err
		}
		if first.Proposal != pull.ID {
			return console.Refused("assent undo "+names.ShellWord(first.Proposal)+" proposes to restore "+first.Name+"; once that is merged, repeat this",
				"nothing was proposed: %s needs %s, which %s archived", r.Name, first.Name, first.Proposal)
		}
	}
	return err
}

// mergedBy finds the proposal that an id or a commit of main means.
func mergedBy(ctx context.Context, w *workspace.Workspace, arg string) (forge.Pull, error) {
	pull, err := propose.Resolve(ctx, w, arg)
	if err == nil || !errors.Is(err, forge.ErrNotFound) {
		return pull, err
	}
	commit, noCommit := w.Repo.Resolve(arg)
	if errors.Is(noCommit, gitstore.ErrAmbiguous) {
		return forge.Pull{}, noCommit
	}
	if noCommit != nil {
		return forge.Pull{}, err
	}
	merged, err := w.Record.List(ctx, forge.Filter{State: forge.Merged})
	for _, p := range merged {
		if p.Merge == commit {
			return p, nil
		}
	}
	if err != nil {
		return forge.Pull{}, err
	}
	return forge.Pull{}, console.Refused("to take back a commit that never passed the gate: git revert "+names.ShellWord(commit.String()),
		"commit %s is no merge of a proposal", commit.Short())
}

// openAs opens a request that was derived from history.
func openAs(ctx context.Context, c *console.Console, cur workspace.Session, o undoOptions, r propose.Request) error {
	who, err := console.Proposer(cur, o.agent, o.dryRun)
	if err != nil {
		return err
	}
	r.By, r.Author, r.DryRun, r.Origin = who.By, who.Author, o.dryRun, provenance.Origin{Way: provenance.History}
	if o.goal != "" {
		r.Proposal.Goal = o.goal
	}
	out, err := propose.Open(ctx, cur.Workspace, r)
	if err != nil {
		return err
	}
	return output.PrintOutcome(c, cur.Workspace, out, nil, o.dryRun)
}

func newAdopt(c *console.Console) *cobra.Command {
	var o undoOptions
	cmd := &cobra.Command{
		Use:   "adopt",
		Short: "Put commits that bypassed the gate through it",
		Long: `Adopt makes a proposal of what the commits on main that are not in force change in
governed folders. Once it is merged, main is in force again. Those who wrote or committed
them count as its authors.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runAdopt(cmd.Context(), c, o) },
	}
	o.flags(cmd, c)
	return cmd
}

func runAdopt(ctx context.Context, c *console.Console, o undoOptions) error {
	cur, err := c.Joined(ctx)
	if err != nil {
		return err
	}
	if len(cur.Blocked) == 0 {
		return console.Refused("assent status shows the state of the workspace", "nothing to adopt: everything on main is in force")
	}
	r, diags, err := propose.Adopt(cur)
	if err != nil {
		return fmt.Errorf("adopt: %w", err)
	}
	if diags.HasErrors() {
		return console.Findings("nothing was proposed: the commits cannot be adopted as they are", diags)
	}
	return openAs(ctx, c, cur, o, r)
}
