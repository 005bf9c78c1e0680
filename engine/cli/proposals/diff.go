package proposals

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
)

func newDiff(c *console.Console) *cobra.Command {
	var stat bool
	var against string
	cmd := &cobra.Command{
		Use:   "diff ID",
		Short: "What a proposal changes against what is in force",
		Long: `Diff shows the difference between what is in force and the result of merging the
proposal now: exactly what an approval is about. Of a merged proposal it shows what
the merge brought; of one that is in conflict with main, what it changes against
where it began. Control characters and invisible ones are shown by their number.

With --against it compares the capability that the proposal brings with one in force,
file by file: what a finding of a near-duplicate is about.`,
		Example: `  assent diff table-reader-k3v9q2mt
  assent diff table-reader-k3v9q2mt --against parse-csv`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if against != "" {
				return runAgainst(cmd.Context(), c, args[0], against, stat)
			}
			return runDiff(cmd.Context(), c, args[0], stat)
		},
	}
	cmd.Flags().StringVar(&against, "against", "", "compare with this `CAPABILITY` in force instead")
	cmd.Flags().BoolVar(&stat, "stat", false, "only say which files change, and by how many lines")
	return cmd
}

// diffJSON is the change of a proposal.
type diffJSON struct {
	ID string `json:"id"`
	// Head is the version of the proposal, for assent review --head.
	Head tree.Hash `json:"head"`
	// Base and Result are the compared trees.
	Base      tree.Hash         `json:"base"`
	Result    tree.Hash         `json:"result"`
	Conflicts []string          `json:"conflicts"`
	Files     []output.FileDiff `json:"files"`
}

func runDiff(ctx context.Context, c *console.Console, id string, stat bool) error {
	cur, pull, err := c.Shown(ctx, id)
	if err != nil {
		return err
	}
	before, after, conflicts, err := output.Sides(ctx, cur, pull)
	if err != nil {
		return err
	}
	changes, err := tree.Diff(before, after)
	if err != nil {
		return fmt.Errorf("compare what %s would change: %w", pull.ID, err)
	}
	out := diffJSON{ID: pull.ID, Head: pull.Head, Base: before.Tree(), Result: after.Tree(), Conflicts: console.NonNil(conflicts), Files: []output.FileDiff{}}
	for _, ch := range changes {
		f, err := output.DifferenceOf(before, after, ch)
		if err != nil {
			return err
		}
		if stat {
			f.Hunks = []string{}
		}
		out.Files = append(out.Files, f)
	}
	if c.JSON {
		return c.Emit(out)
	}
	for _, p := range out.Conflicts {
		c.Progress("conflict: %s was changed on main, too; this is the proposal against where it began", console.OneLine(p))
	}
	output.PrintFiles(c, out.Files, stat)
	return nil
}
