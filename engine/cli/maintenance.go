package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/audit/maintain"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/workspace"
)

func newMaintenance(c *console) *cobra.Command {
	var dryRun, here bool
	cmd := &cobra.Command{
		Use:   "maintenance",
		Short: "Fold what is closed and tidy up; safe at any time",
		Long: `Maintenance keeps a repository small. The journals of proposals that ended, and those of
runs a week after their end, are folded into one ref a year, with all they hold; every
command reads them as before. Their own refs go ` + fmt.Sprintf("%.0f", journal.Settling.Minutes()) + ` minutes later, with the next run, so that a git gc that runs at this
moment loses nothing. Where there are many small packs or loose refs, git joins them.

It may run beside anything and be killed at any time. merge and reconcile do a part of
it by themselves from 512 journals on.

In a clone that fetches its journals from another repository, nothing is folded: that
is for the repository that all fetch from. Where assent cannot run there, agree on one
clone that runs it with --fold, and assent push publishes it. Where a service is set up,
every clone may: the remote is asked first, and its refs go as well.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runMaintenance(cmd.Context(), c, maintain.Options{Here: here, DryRun: dryRun})
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "say what would be done, but do nothing")
	cmd.Flags().BoolVar(&here, "fold", false, "fold here although the journals come from another repository")
	return cmd
}

type maintenanceJSON struct {
	Folded  int           `json:"folded"`
	Runs    int           `json:"runs_folded"`
	NoFold  string        `json:"not_folded_because,omitempty"`
	Removed int           `json:"refs_removed"`
	Waiting int           `json:"refs_waiting"`
	United  []string      `json:"united"`
	Packs   int           `json:"packs_joined"`
	Refs    int           `json:"refs_packed"`
	Notes   []string      `json:"notes"`
	Damaged []damagedJSON `json:"damaged"`
	DryRun  bool          `json:"dry_run,omitempty"`
}

// manyJournals is how often maintenance tells how far it got.
const manyJournals = 5000

func runMaintenance(ctx context.Context, c *console, o maintain.Options) error {
	cur, err := c.consulted(ctx)
	if err != nil {
		return err
	}
	o.Progress = func(done, total int) {
		if done > 0 && done%manyJournals == 0 {
			c.progress("%d of %d journals", done, total)
		}
	}
	out, err := maintain.Run(ctx, cur, o)
	if err != nil {
		return err
	}
	if c.json {
		if err := c.emit(maintenanceOf(out, o.DryRun)); err != nil || len(out.Damaged) == 0 {
			return err
		}
		return quiet(exitWorld)
	}
	c.maintained(out, o.DryRun)
	return c.damaged(maintenanceOf(out, o.DryRun).Damaged)
}

func maintenanceOf(out maintain.Outcome, dryRun bool) maintenanceJSON {
	v := maintenanceJSON{
		Folded: out.Folded, Runs: out.FoldedRuns, NoFold: out.NoFold, Removed: out.Drops.Removed, Waiting: out.Drops.Waiting,
		United: append([]string{}, out.United...),
		Packs:  out.Packs, Refs: out.Refs, Notes: append([]string{}, out.Notes...), Damaged: []damagedJSON{}, DryRun: dryRun,
	}
	for _, d := range out.Damaged {
		v.Damaged = append(v.Damaged, damagedJSON{d.ID, d.Where, d.Err.Error()})
	}
	return v
}

func (c *console) maintained(out maintain.Outcome, dryRun bool) {
	said := false
	say := func(format string, args ...any) {
		if said = true; dryRun {
			format = c.style.warn("dry run:") + " " + format
		}
		c.printf(format+"\n", args...)
	}
	for _, ref := range out.United {
		say("%s was taken in", ref)
	}
	if out.Folded > 0 {
		say("%s folded", plural(out.Folded, "closed proposal"))
	}
	if out.FoldedRuns > 0 {
		say("%s folded", plural(out.FoldedRuns, "ended run"))
	}
	if n := out.Drops.Removed; n > 0 {
		say("%s removed of what was folded before", plural(n, "ref"))
	}
	if n := out.Drops.Waiting; n > 0 {
		say("%s of folded journals to go with a run in %.0f minutes or later", plural(n, "ref"), journal.Settling.Minutes())
	}
	if out.Refs > 0 {
		say("%s packed", plural(out.Refs, "ref"))
	}
	if out.Packs > 0 {
		say("%s joined", plural(out.Packs, "pack"))
	}
	if !said {
		c.printf("nothing to do\n")
	}
	if out.NoFold != "" {
		c.progress("nothing was folded: %s", out.NoFold)
	}
	for _, note := range out.Notes {
		c.progress("%s", oneLine(note))
	}
}

// tidyByTheWay does a bounded part of maintenance after a command's own work, which
// is done and stays so whatever comes of this.
func (c *console) tidyByTheWay(ctx context.Context, cur workspace.Session) {
	out, err := maintain.ByTheWay(ctx, cur)
	switch {
	case err != nil:
		c.progress("closed proposals could not be folded (%v); nothing is lost, and assent maintenance tries again", err)
	case out.Folded+out.FoldedRuns+out.Drops.Removed > 0:
		c.progress("%s and %s folded, and %s removed of those folded before", plural(out.Folded, "closed proposal"), plural(out.FoldedRuns, "ended run"), plural(out.Drops.Removed, "ref"))
	}
}
