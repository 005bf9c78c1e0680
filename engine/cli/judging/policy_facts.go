package judging

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// factsJSON are the facts of one proposal.
type factsJSON struct {
	ID string `json:"id"`
	// Facts by their names in conditions. Durations are in seconds.
	Facts map[string]any `json:"facts"`
}

func newPolicyFacts(c *console.Console) *cobra.Command {
	return &cobra.Command{
		Use:   "facts ID",
		Short: "The facts that the verdict on a proposal is derived from",
		Long: `Facts prints what is known about a proposal, under the names that conditions in
approvals.yaml and autonomy.yaml have for it. docs/policies.md says what each means.`,
		Example:           "  assent policy facts parse-csv-k3v9q2mt --json",
		Args:              cobra.ExactArgs(1),
		RunE:              func(cmd *cobra.Command, args []string) error { return runPolicyFacts(cmd.Context(), c, args[0]) },
		ValidArgsFunction: complete.First(complete.AnyProposal(c)),
	}
}

func runPolicyFacts(ctx context.Context, c *console.Console, arg string) error {
	cur, pull, err := c.Shown(ctx, arg)
	if err != nil {
		return err
	}
	ex, err := cur.Examine(ctx, pull.ID)
	if err != nil {
		return err
	}
	values := policy.Known(ex.Case.Policies, ex.Case.Facts())
	if c.JSON {
		for name, v := range values {
			if d, ok := v.(time.Duration); ok {
				values[name] = d.Seconds()
			}
		}
		return c.Emit(factsJSON{pull.ID, values})
	}
	width := 0
	for _, f := range policy.FactNames() {
		width = max(width, len(f.Name))
	}
	for _, f := range policy.FactNames() {
		lines := factLines(values[f.Name])
		c.Printf("%s%s  %s\n", c.Style.Bold(f.Name), console.Pad(f.Name, width), lines[0])
		for _, l := range lines[1:] {
			c.Printf("%s  %s\n", console.Pad("", width), l)
		}
	}
	return nil
}

// factLines writes a value as conditions would, one line for each object of a list.
func factLines(v any) []string {
	objects, ok := v.([]map[string]any)
	if !ok || len(objects) == 0 {
		return []string{factText(v)}
	}
	var out []string
	for _, o := range objects {
		out = append(out, factText(o))
	}
	return out
}

func factText(v any) string {
	switch v := v.(type) {
	case time.Duration:
		return v.Round(time.Second).String()
	case time.Time:
		return v.Format(time.RFC3339)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return console.OneLine(string(text))
}
