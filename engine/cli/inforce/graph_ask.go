package inforce

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/soul"
	"github.com/assent-dev/assent/engine/tools/discover"
	"github.com/assent-dev/assent/engine/tools/memory"
)

// lacking is how many capabilities graph gap names.
const lacking = 5

func newGraphGap(c *console.Console) *cobra.Command {
	var agent string
	cmd := &cobra.Command{
		Use:     "gap TASK… --agent AGENT",
		Short:   "The active capabilities nearest to a task that an agent does not know",
		Long:    `Gap searches as assent find does, and names the first 5 active capabilities that the agent may use and does not have in its learned list.`,
		Example: `  assent graph gap transcribe a recording --agent scout`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runGraphGap(cmd.Context(), c, agent, strings.Join(args, " "))
		},
	}
	complete.AgentFlag(cmd, c, &agent)
	return cmd
}

// lackJSON is one answer of assent graph gap.
type lackJSON struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Mastery     *float64 `json:"mastery"` // of its tests here, nil for none
	Relevance   float64  `json:"relevance"`
	Unusable    string   `json:"unusable,omitempty"`
}

func runGraphGap(ctx context.Context, c *console.Console, agent, task string) error {
	if agent == "" {
		return console.Usage("name the agent: --agent AGENT")
	}
	cur, err := c.Current(ctx)
	if err != nil {
		return err
	}
	if err := console.CheckAgent(cur, agent); err != nil {
		return err
	}
	learned, err := memory.Learned(cur, agent)
	if err != nil {
		return err
	}
	here, err := discover.Open(ctx, cur)
	if err != nil {
		return err
	}
	found, problems, err := here.Find(ctx, discover.Request{Words: task, Status: capability.Active, Agent: &agent, Limit: lacking + len(learned)})
	if err != nil {
		return err
	}
	out := []lackJSON{}
	for _, m := range found {
		known := slices.ContainsFunc(learned, func(e soul.Entry) bool { return names.Fold(e.Name) == names.Fold(m.Name) })
		if known || m.SpecOnly || len(out) == lacking {
			continue
		}
		lack := lackJSON{Name: m.Name, Description: m.Description, Relevance: m.Score, Unusable: m.Unusable}
		if r, err := here.Health.Read(m.Name); err == nil {
			if e := r.Entry(m.Tree.String(), m.Version); !e.Checked.IsZero() {
				lack.Mastery = &e.Mastery
			}
		}
		out = append(out, lack)
	}
	complainTrials(c, problems)
	if c.JSON {
		return c.Emit(out)
	}
	var rows [][]string
	for _, l := range out {
		rows = append(rows, []string{c.Style.Bold(l.Name), masteryText(l.Mastery), console.OneLine(cmp.Or(l.Unusable, l.Description))})
	}
	return answerOrNone(c, rows, "nothing that %s may use and does not know matches", agent)
}

func newGraphAgent(c *console.Console) *cobra.Command {
	least := 0.0
	cmd := &cobra.Command{
		Use:   "agent AGENT",
		Short: "The capabilities that an agent knows, and how well",
		Long: `Agent lists the capabilities in the learned list of the agent's SOUL.md: mastery and level,
hours of practice, and when the agent last used each.`,
		Example: `  assent graph agent scout --min-mastery 0.7`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !(least >= 0 && least <= 1) { // NaN too
				return console.Usage("--min-mastery %v: want a share from 0 to 1", least)
			}
			g, err := graphNow(cmd.Context(), c, args[0], "", 0)
			if err != nil {
				return err
			}
			out := g.Knowledge(args[0], least)
			if c.JSON {
				return c.Emit(out)
			}
			var rows [][]string
			for _, k := range out {
				status := k.Status
				if !k.InForce {
					status = "not in force"
				}
				rows = append(rows, []string{c.Style.Bold(console.OneLine(k.Name)), masteryText(k.Mastery), cmp.Or(k.Level, "-"), status, fmt.Sprintf("%.1f h", k.Hours), cmp.Or(k.LastUsed, "-")})
			}
			return answerOrNone(c, rows, "%s has learned nothing of that mastery", args[0])
		},
	}
	cmd.Flags().Float64Var(&least, "min-mastery", 0, "only those with at least this `MASTERY`, from 0 to 1")
	return cmd
}

func newGraphSimilar(c *console.Console) *cobra.Command {
	least, most := 0.8, 10
	cmd := &cobra.Command{
		Use:   "similar NAME",
		Short: "The capabilities in force that are similar to one",
		Long: `Similar compares the words of name, category, tags and description, rare words more than
common ones: 1 is the same words, 0 none in common.`,
		Example:           `  assent graph similar parse-csv --min 0.3`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: complete.First(complete.Names(c)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if most < 1 || !(least >= 0 && least <= 1) {
				return console.Usage("--limit %d, --min %v: want one or more, and a number from 0 to 1", most, least)
			}
			cur, err := c.Current(cmd.Context())
			if err != nil {
				return err
			}
			f, err := console.CapabilityNamed(cur, args[0])
			if err != nil {
				return err
			}
			g, err := graphNow(cmd.Context(), c, "", "", 0)
			if err != nil {
				return err
			}
			out := g.Similar(f.Name, least, most)
			if c.JSON {
				return c.Emit(out)
			}
			var rows [][]string
			for _, l := range out {
				rows = append(rows, []string{fmt.Sprintf("%.2f", l.Score), c.Style.Bold(console.OneLine(l.Name)), console.OneLine(l.Description)})
			}
			return answerOrNone(c, rows, "no capability in force is that similar to %s", f.Name)
		},
	}
	cmd.Flags().Float64Var(&least, "min", least, "only those with at least this `SCORE`")
	cmd.Flags().IntVar(&most, "limit", most, "at most `N`")
	return cmd
}

func masteryText(m *float64) string {
	if m == nil {
		return "-"
	}
	return fmt.Sprintf("%.2f", *m)
}

// answerOrNone shows a table, or says that there is nothing to show.
func answerOrNone(c *console.Console, rows [][]string, none string, args ...any) error {
	if len(rows) == 0 {
		c.Printf(none+"\n", args...)
	}
	c.Table(rows)
	return nil
}
