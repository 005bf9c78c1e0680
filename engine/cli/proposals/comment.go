package proposals

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/forge"
)

type commentOptions struct {
	id, text, agent string
	stdin, dryRun   bool
}

func newComment(c *console.Console) *cobra.Command {
	var o commentOptions
	cmd := &cobra.Command{
		Use:   "comment ID [-m TEXT | -]",
		Short: "Say something about a proposal",
		Example: `  assent comment parse-csv-k3v9q2mt -m "does it handle quoted line ends?"
  assent comment parse-csv-k3v9q2mt - < remarks.md`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: complete.First(complete.AnyProposal(c)),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.id = args[0]
			if len(args) == 2 {
				if args[1] != "-" {
					return console.Usage("%q is no argument of comment: give the text with -m, or - to read standard input", args[1])
				}
				o.stdin = true
			}
			return runComment(cmd.Context(), c, o)
		},
	}
	cmd.Flags().StringVarP(&o.text, "message", "m", "", "the `TEXT`")
	complete.AgentFlag(cmd, c, &o.agent)
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "check the comment, but record nothing")
	return cmd
}

// commentJSON is one recorded comment.
type commentJSON struct {
	ID     string    `json:"id"`
	By     string    `json:"by"`
	Text   string    `json:"text"`
	At     time.Time `json:"at"`
	DryRun bool      `json:"dry_run,omitempty"`
}

func runComment(ctx context.Context, c *console.Console, o commentOptions) error {
	text, err := console.ReadText(ctx, c, o.text, "", o.stdin)
	if err != nil {
		return err
	}
	if strings.TrimSpace(text) == "" {
		return console.Usage("the comment is empty: give the text with -m, or - to read standard input")
	}
	cur, pull, err := c.Target(ctx, o.id)
	if err != nil {
		return err
	}
	remark := forge.Comment{By: console.Who(c, cur, o.agent), Body: text, At: cur.Now()}
	if err := remark.Check(); err != nil {
		return &console.Failure{Code: console.ExitUsage, Err: err}
	}
	if !o.dryRun {
		if err := cur.Forge.Comment(ctx, pull.ID, remark); err != nil {
			return err
		}
	}
	if c.JSON {
		return c.Emit(commentJSON{ID: pull.ID, By: remark.By.String(), Text: text, At: remark.At, DryRun: o.dryRun})
	}
	verb := "commented on"
	if o.dryRun {
		verb = "would comment on"
	}
	c.Printf("%s %s %s\n", console.OneLine(remark.By.String()), verb, console.OneLine(pull.ID))
	return nil
}
