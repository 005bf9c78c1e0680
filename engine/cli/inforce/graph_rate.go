package inforce

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

func newGraphRate(c *console.Console) *cobra.Command {
	var since string
	cmd := &cobra.Command{
		Use:   "rate NAME",
		Short: "How often a capability succeeded lately, and what it cost",
		Long: `Rate adds up the trials of the last days, as assent stats does: a mission's verdict counts in
place of the successes in that mission.`,
		Example:           `  assent graph rate parse-csv --since 7d`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: complete.First(complete.Names(c)),
		RunE:              func(cmd *cobra.Command, args []string) error { return runGraphRate(cmd.Context(), c, since, args[0]) },
	}
	cmd.Flags().StringVar(&since, "since", "30d", "only trials of the last `TIME`, such as 30d, or since a day")
	return cmd
}

// rateJSON is the answer of assent graph rate. Averages are absent without outcomes.
type rateJSON struct {
	Name          string   `json:"name"`
	Since         string   `json:"since"`
	Total         int64    `json:"total"` // outcomes
	Successes     int64    `json:"successes"`
	Failures      int64    `json:"failures"`
	Partial       int64    `json:"partial"`
	Rate          *float64 `json:"rate,omitempty"`
	AverageMS     *float64 `json:"average_ms,omitempty"`
	TotalCost     float64  `json:"total_cost"`
	CostOfSuccess *float64 `json:"cost_per_success,omitempty"`
}

func runGraphRate(ctx context.Context, c *console.Console, since, name string) error {
	cur, err := c.Current(ctx)
	if err != nil {
		return err
	}
	at, err := sinceOf(since, cur.Now())
	if err != nil {
		return err
	}
	var r triallog.Reading
	if err := trialsOf(cur).Refresh(&r); err != nil {
		return err
	}
	out := rateJSON{Name: names.Fold(name), Since: trial.DayOf(at).String()}
	lines := r.Book.Stats(trial.Question{Name: out.Name, Since: trial.DayOf(at)})
	if len(lines) == 0 { // it must be in force then
		f, err := console.CapabilityNamed(cur, name)
		if err != nil {
			return err
		}
		out.Name = f.Name
	}
	for _, l := range lines {
		out.Successes, out.Failures, out.Partial, out.TotalCost = l.Success, l.Failure, l.Partial, l.Cost
		out.Total = l.Success + l.Failure + l.Partial
		if rate, ok := l.Rate(); ok {
			ms := float64(l.MS) / float64(max(1, l.Loaded+l.Followed))
			out.Rate, out.AverageMS = &rate, &ms
		}
		if l.Success > 0 {
			cost := l.Cost / float64(l.Success)
			out.CostOfSuccess = &cost
		}
	}
	complainTrials(c, r.Problems)
	if c.JSON {
		return c.Emit(out)
	}
	c.Printf("%s since %s\n", c.Style.Bold(out.Name), out.Since)
	c.Field("outcomes", fmt.Sprintf("%d: %d succeeded, %d failed, %d in part", out.Total, out.Successes, out.Failures, out.Partial))
	if out.Rate != nil {
		c.Field("rate", fmt.Sprintf("%.0f %%", 100**out.Rate))
		c.Field("time", fmt.Sprintf("%.0f ms a use", *out.AverageMS))
	}
	c.Field("cost", fmt.Sprintf("%.6g", out.TotalCost))
	return nil
}
