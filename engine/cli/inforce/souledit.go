package inforce

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/base/markup"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/proposals/propose"
)

type soulEditOptions struct {
	soul, section, mode, text, file, goal, proposer string
	stdin, dryRun                                   bool
}

// editModes are the ways to edit a section.
func editModes() []string { return []string{markup.Add, markup.Append, markup.Replace} }

func newSoulEdit(c *console.Console) *cobra.Command {
	var o soulEditOptions
	cmd := &cobra.Command{
		Use:   "edit AGENT --section SECTION --mode add|append|replace [-m TEXT | -f FILE | -]",
		Short: "Propose to edit one section of a soul",
		Long: `Edit opens a proposal that adds a section, appends to one, or replaces its text.
Everything outside the section stays byte for byte. Protected sections need humans.`,
		Example: `  assent soul edit scout --section Vibe --mode append -m "Ask before long searches."
  assent soul edit scout --section Habits --mode replace -f habits.md --agent smith`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: complete.First(complete.Agents(c)),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.soul = args[0]
			if len(args) == 2 {
				if args[1] != "-" {
					return console.Usage("%q is no argument of soul edit: give the text with -m, -f FILE, or - to read standard input", args[1])
				}
				o.stdin = true
			}
			return runSoulEdit(cmd.Context(), c, o)
		},
	}
	cmd.Flags().StringVar(&o.section, "section", "", "the `SECTION`, by title or slug")
	cmd.Flags().StringVar(&o.mode, "mode", "", "what to do: "+console.Words(editModes()))
	cmd.Flags().StringVarP(&o.text, "message", "m", "", "the section's new `TEXT`")
	cmd.Flags().StringVarP(&o.file, "file", "f", "", "read the text from `FILE`")
	cmd.Flags().StringVar(&o.goal, "goal", "", "what it is for, in one `LINE`")
	complete.AgentFlag(cmd, c, &o.proposer)
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "validate and judge, but write nothing")
	complete.Flag(cmd, "mode", complete.Fixed(editModes()))
	return cmd
}

func runSoulEdit(ctx context.Context, c *console.Console, o soulEditOptions) error {
	switch {
	case o.section == "":
		return console.Usage("name the section with --section")
	case !slices.Contains(editModes(), o.mode):
		return console.Usage("say what to do with --mode: %s", console.Words(editModes()))
	}
	text, err := console.ReadText(ctx, c, o.text, o.file, o.stdin)
	if err != nil {
		return err
	}
	if strings.TrimSpace(text) == "" {
		return console.Usage("the text is empty: give it with -m, -f FILE, or - to read standard input")
	}
	cur, err := c.Joined(ctx)
	if err != nil {
		return err
	}
	if _, err := soulOf(cur, o.soul); err != nil {
		return err
	}
	r, err := console.Proposer(cur, o.proposer, o.dryRun)
	if err != nil {
		return err
	}
	if o.goal == "" {
		o.goal = fmt.Sprintf("%s section %s of %s", o.mode, o.section, o.soul)
	}
	text = strings.TrimRight(text, "\r\n") + "\n"
	r.Origin = provenance.Origin{Way: provenance.Edit, Digest: canonical.Digest([]byte(text))}
	r.Proposal = proposal.Proposal{
		Kind: proposal.Soul, Goal: o.goal, Body: "# Why\n\n" + o.goal + "\n\n" + fenced(text),
		Soul: &proposal.SoulEdit{Agent: o.soul, Section: o.section, Mode: o.mode, Content: text},
	}
	out, err := propose.Open(ctx, cur.Workspace, r)
	if err != nil {
		return err
	}
	return output.PrintOutcome(c, cur.Workspace, out, nil, o.dryRun)
}

// fenced puts text into a block that nothing in it can close. A rebase reads the
// text back from there.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "markdown\n" + text + fence + "\n"
}
