package runs

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/audit/maintain"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/git/journal"
)

func newMaintenance(c *console.Console) *cobra.Command {
	var dryRun, here bool
	cmd := &cobra.Command{
		Use:   "maintenance",
		Short: "Fold what is closed and tidy up; safe at any time",
		Long: `Maintenance keeps a repository small. The journals of proposals that ended, and those of
runs a week after their end, are folded into one ref a year, with all they hold; every
command reads them as before. Their own refs go ` + fmt.Sprintf("%.0f", journal.Settling.Minutes()) + ` minutes later, with the next run, so that a git gc that runs at this
moment loses nothing. Artifacts of runs go after the time that policies/retention.yaml
says (artifacts:), 30 days after the end of the run by default. Where there are many small packs or loose refs, git joins them.

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
	Folded  int    `json:"folded"`
	Runs    int    `json:"runs_folded"`
	NoFold  string `json:"not_folded_because,omitempty"`
	Removed int    `json:"refs_removed"`
	Waiting int    `json:"refs_waiting"`
	// Artifacts counts the jobs whose artifacts were removed.
	Artifacts int              `json:"artifacts_removed"`
	United    []string         `json:"united"`
	Packs     int              `json:"packs_joined"`
	Refs      int              `json:"refs_packed"`
	Notes     []string         `json:"notes"`
	Damaged   []output.Damaged `json:"damaged"`
	DryRun    bool             `json:"dry_run,omitempty"`
}

// manyJournals is the number of journals between two reports of progress.
const manyJournals = 5000

func runMaintenance(ctx context.Context, c *console.Console, o maintain.Options) error {
	cur, err := c.Consulted(ctx)
	if err != nil {
		return err
	}
	o.Progress = func(done, total int) {
		if done > 0 && done%manyJournals == 0 {
			c.Progress("%d of %d journals", done, total)
		}
	}
	out, err := maintain.Run(ctx, cur, o)
	if err != nil {
		return err
	}
	if c.JSON {
		if err := c.Emit(maintenanceOf(out, o.DryRun)); err != nil || len(out.Damaged) == 0 {
			return err
		}
		return console.Quiet(console.ExitWorld)
	}
	printMaintained(c, out, o.DryRun)
	return output.PrintDamaged(c, maintenanceOf(out, o.DryRun).Damaged)
}

func maintenanceOf(out maintain.Outcome, dryRun bool) maintenanceJSON {
	v := maintenanceJSON{
		Folded: out.Folded, Runs: out.FoldedRuns, NoFold: out.NoFold, Removed: out.Drops.Removed, Waiting: out.Drops.Waiting, Artifacts: out.Artifacts,
		United: append([]string{}, out.United...),
		Packs:  out.Packs, Refs: out.Refs, Notes: append([]string{}, out.Notes...), Damaged: []output.Damaged{}, DryRun: dryRun,
	}
	for _, d := range out.Damaged {
		v.Damaged = append(v.Damaged, output.Damaged{ID: d.ID, Where: d.Where, Error: d.Err.Error()})
	}
	return v
}

func printMaintained(c *console.Console, out maintain.Outcome, dryRun bool) {
	said := false
	say := func(format string, args ...any) {
		if said = true; dryRun {
			format = c.Style.Warn("dry run:") + " " + format
		}
		c.Printf(format+"\n", args...)
	}
	for _, ref := range out.United {
		say("%s was taken in", ref)
	}
	if out.Folded > 0 {
		say("%s folded", console.Plural(out.Folded, "closed proposal"))
	}
	if out.FoldedRuns > 0 {
		say("%s folded", console.Plural(out.FoldedRuns, "ended run"))
	}
	if n := out.Drops.Removed; n > 0 {
		say("%s of journals that were folded before removed", console.Plural(n, "ref"))
	}
	if n := out.Drops.Waiting; n > 0 {
		say("%s of folded journals to go with a run in %.0f minutes or later", console.Plural(n, "ref"), journal.Settling.Minutes())
	}
	if out.Artifacts > 0 {
		say("artifacts of %s removed", console.Plural(out.Artifacts, "job"))
	}
	if out.Refs > 0 {
		say("%s packed", console.Plural(out.Refs, "ref"))
	}
	if out.Packs > 0 {
		say("%s joined", console.Plural(out.Packs, "pack"))
	}
	if !said {
		c.Printf("nothing to do\n")
	}
	if out.NoFold != "" {
		c.Progress("nothing was folded: %s", out.NoFold)
	}
	for _, note := range out.Notes {
		c.Progress("%s", console.OneLine(note))
	}
}
