package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

func newDiff(c *console) *cobra.Command {
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

// diffJSON is what a proposal changes.
type diffJSON struct {
	ID string `json:"id"`
	// Base and Result are the trees that are compared.
	Base      tree.Hash  `json:"base"`
	Result    tree.Hash  `json:"result"`
	Conflicts []string   `json:"conflicts"`
	Files     []fileDiff `json:"files"`
}

func runDiff(ctx context.Context, c *console, id string, stat bool) error {
	cur, pull, err := c.shown(ctx, id)
	if err != nil {
		return err
	}
	before, after, conflicts, err := sides(ctx, cur, pull)
	if err != nil {
		return err
	}
	changes, err := tree.Diff(before, after)
	if err != nil {
		return fmt.Errorf("compare what %s would change: %w", pull.ID, err)
	}
	out := diffJSON{ID: pull.ID, Base: before.Tree(), Result: after.Tree(), Conflicts: some(conflicts), Files: []fileDiff{}}
	for _, ch := range changes {
		f, err := differenceOf(before, after, ch)
		if err != nil {
			return err
		}
		if stat {
			f.Hunks = []string{}
		}
		out.Files = append(out.Files, f)
	}
	if c.json {
		return c.emit(out)
	}
	for _, p := range out.Conflicts {
		c.progress("conflict: %s was changed on main, too; this is the proposal against where it began", oneLine(p))
	}
	c.files(out.Files, stat)
	return nil
}

// sides are the trees that a proposal's difference is between.
func sides(ctx context.Context, cur workspace.Session, pull forge.Pull) (before, after *gitstore.Snapshot, conflicts []string, err error) {
	from := cur.InForce
	var to tree.Hash
	if pull.State == forge.Merged {
		to = pull.Merge
		from, err = judgedFrom(ctx, cur.Workspace, pull)
	} else {
		var r workspace.Result
		r, err = cur.Result(cur.Main, pull.Head)
		to = r.Tree
		for _, f := range r.Conflicts {
			from, to = r.MergeBase, pull.Head
			conflicts = append(conflicts, f.Path)
		}
	}
	if err != nil {
		return nil, nil, nil, err
	}
	if before, err = cur.Repo.Snapshot(from); err != nil {
		return nil, nil, nil, fmt.Errorf("read what is in force: %w", err)
	}
	if after, err = cur.Repo.Snapshot(to); err != nil {
		return nil, nil, nil, fmt.Errorf("read the result of merging %s: %w", pull.ID, err)
	}
	return before, after, conflicts, nil
}

// judgedFrom is what was in force when a proposal was merged.
func judgedFrom(ctx context.Context, w *workspace.Workspace, pull forge.Pull) (tree.Hash, error) {
	activity, err := w.Record.Activity(ctx, pull.ID)
	if err != nil {
		return tree.Hash{}, err
	}
	for _, m := range activity.Merges {
		if m.Commit == pull.Merge {
			att, err := attest.Decode(m.Attestation)
			return att.From, err
		}
	}
	return tree.Hash{}, errors.New("the merge of " + pull.ID + " has no attestation")
}

// files shows differences.
func (c *console) files(files []fileDiff, stat bool) {
	added, removed := 0, 0
	for _, f := range files {
		added, removed = added+f.Added, removed+f.Removed
		if stat {
			continue
		}
		c.printf("%s\n", c.style.bold(f.title()))
		for _, note := range f.notes() {
			c.printf("%s\n", c.style.dim(note))
		}
		for _, hunk := range f.Hunks {
			c.hunk(hunk)
		}
	}
	if stat {
		c.stat(files)
	}
	c.printf("%s, %d added and %d removed lines\n", plural(len(files), "file"), added, removed)
}

func (c *console) stat(files []fileDiff) {
	var rows [][]string
	for _, f := range files {
		count := fmt.Sprintf("+%d -%d", f.Added, f.Removed)
		if f.Binary {
			count = "binary"
		}
		rows = append(rows, []string{f.Change, count, oneLine(f.Path) + strings.Join(prefixed("; ", f.notes()), "")})
	}
	c.table(rows)
}

func prefixed(prefix string, list []string) []string {
	var out []string
	for _, s := range list {
		out = append(out, prefix+s)
	}
	return out
}

func (c *console) hunk(text string) {
	for line := range strings.Lines(text) {
		line = visible(strings.TrimSuffix(line, "\n"))
		switch {
		case strings.HasPrefix(line, "@@"):
			line = c.style.dim(line)
		case strings.HasPrefix(line, "+"):
			line = c.style.good(line)
		case strings.HasPrefix(line, "-"):
			line = c.style.bad(line)
		}
		c.printf("%s\n", line)
	}
}
