package inforce

import (
	"context"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

type trialEraseOptions struct {
	agent, mission, before string
	dryRun                 bool
}

func newTrialErase(c *console.Console) *cobra.Command {
	var o trialEraseOptions
	cmd := &cobra.Command{
		Use:   "erase",
		Short: "Remove agents, missions and texts from this installation's records",
		Long: `Erase removes the names of agent and mission and all texts from the selected records of this
installation. Each keeps what counts and health need, and the day on which it was erased. At least
one flag selects; a record is erased if it fits all of them.

The journal gets new commits from the first erased record on, which assent push publishes. The old
ones stay in the object stores of this clone, the remote and other clones until git gc removes them.`,
		Example: `  assent trial erase --agent scout --dry-run
  assent trial erase --mission m-17
  assent trial erase --before 90d`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runTrialErase(cmd.Context(), c, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.agent, "agent", "", "the records of this `AGENT`")
	complete.Flag(cmd, "agent", complete.Agents(c))
	f.StringVar(&o.mission, "mission", "", "the records of this `MISSION`")
	f.StringVar(&o.before, "before", "", "the records from before a `TIME`, such as 90d or 2026-08-01")
	f.BoolVar(&o.dryRun, "dry-run", false, "count the records, but erase nothing")
	return cmd
}

// erasedJSON is the answer of assent trial erase.
type erasedJSON struct {
	DryRun bool `json:"dry_run,omitempty"`
	Erased int  `json:"erased"`
	// Elsewhere counts the selected records of other installations.
	Elsewhere []erasable `json:"elsewhere"`
}

type erasable struct {
	Writer  trial.Writer `json:"writer"`
	Records int          `json:"records"`
}

func runTrialErase(ctx context.Context, c *console.Console, o trialEraseOptions) error {
	if o.agent == "" && o.mission == "" && o.before == "" {
		return console.Usage("say which records: give --agent, --mission or --before")
	}
	cur, err := c.Current(ctx)
	if err != nil {
		return err
	}
	s := triallog.Selection{Agent: o.agent, Mission: o.mission}
	if s.Before, err = instantOf("before", o.before, cur.Now()); err != nil {
		return err
	}
	trials := trialsOf(cur)
	out := erasedJSON{DryRun: o.dryRun, Elsewhere: []erasable{}}
	if out.Erased, err = triallog.Erase(ctx, trials, s, o.dryRun); err != nil {
		return err
	}
	own, err := trials.Own()
	if err != nil {
		return err
	}
	others := map[trial.Writer]int{}
	problems, err := trials.Visit(0, func(k triallog.Kept) bool {
		if k.Writer != own && s.Has(k.Trial) {
			others[k.Writer]++
		}
		return true
	})
	if err != nil {
		return err
	}
	for _, w := range slices.Sorted(maps.Keys(others)) {
		out.Elsewhere = append(out.Elsewhere, erasable{w, others[w]})
	}
	if c.JSON {
		return c.Emit(out)
	}
	out.print(c)
	complainTrials(c, problems)
	return nil
}

func (out erasedJSON) print(c *console.Console) {
	what := "erased"
	if out.DryRun {
		what = "would erase"
	}
	c.Printf("%s %s\n", c.Style.Good(what), console.Plural(out.Erased, "record"))
	others := 0
	for _, e := range out.Elsewhere {
		others += e.Records
	}
	if others > 0 {
		c.Printf("%s of %s fit too: only these can erase them, by the same command\n", console.Plural(others, "record"), console.Plural(len(out.Elsewhere), "other installation"))
	}
	if out.Erased > 0 && !out.DryRun {
		c.Printf("next: assent push, which publishes it; then git gc --prune=now here and on the remote, which removes the old objects\n")
	}
}
