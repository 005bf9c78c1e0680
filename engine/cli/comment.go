package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/forge"
)

type commentOptions struct {
	id, text, agent string
	stdin, dryRun   bool
}

func newComment(c *console) *cobra.Command {
	var o commentOptions
	cmd := &cobra.Command{
		Use:   "comment ID [-m TEXT | -]",
		Short: "Say something about a proposal",
		Example: `  assent comment parse-csv-k3v9q2mt -m "does it handle quoted line ends?"
  assent comment parse-csv-k3v9q2mt - < remarks.md`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: first(c.anyProposal),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.id = args[0]
			if len(args) == 2 {
				if args[1] != "-" {
					return usage("%q is no argument of comment: give the text with -m, or - to read standard input", args[1])
				}
				o.stdin = true
			}
			return runComment(cmd.Context(), c, o)
		},
	}
	cmd.Flags().StringVarP(&o.text, "message", "m", "", "the `TEXT`")
	c.agentFlag(cmd, &o.agent)
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

func runComment(ctx context.Context, c *console, o commentOptions) error {
	text, err := c.textOf(o.text, "", o.stdin)
	if err != nil {
		return err
	}
	if strings.TrimSpace(text) == "" {
		return usage("the comment is empty: give the text with -m, or - to read standard input")
	}
	cur, pull, err := c.target(ctx, o.id)
	if err != nil {
		return err
	}
	remark := forge.Comment{By: c.who(cur, o.agent), Body: text, At: cur.Now()}
	if err := remark.Check(); err != nil {
		return &failure{code: exitUsage, err: err}
	}
	if !o.dryRun {
		if err := cur.Forge.Comment(ctx, pull.ID, remark); err != nil {
			return err
		}
	}
	if c.json {
		return c.emit(commentJSON{ID: pull.ID, By: remark.By.String(), Text: text, At: remark.At, DryRun: o.dryRun})
	}
	verb := "commented on"
	if o.dryRun {
		verb = "would comment on"
	}
	c.printf("%s %s %s\n", oneLine(remark.By.String()), verb, oneLine(pull.ID))
	return nil
}

// textOf takes text from a flag, a file or standard input; two of them are a
// mistake.
func (c *console) textOf(flag, file string, stdin bool) (string, error) {
	given := 0
	for _, is := range []bool{flag != "", file != "", stdin} {
		if is {
			given++
		}
	}
	switch {
	case given > 1:
		return "", usage("the text is given twice: use one of -m, -f and -")
	case stdin:
		file = "-"
	case file == "":
		return flag, nil
	}
	src, err := c.readDraft(file)
	return string(src), err
}
