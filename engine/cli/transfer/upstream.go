package transfer

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/proposals/tracked"
)

func newUpstream(c *console.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "upstream",
		Short: "List the skills whose source is tracked, or propose what changed there",
		Long: `Upstream lists the capabilities in force whose source is recorded (assent import --track),
with the open proposals that bring a newer version. It reaches for no source.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runUpstream(cmd.Context(), c) },
	}
	cmd.AddCommand(newUpstreamCheck(c))
	return cmd
}

func runUpstream(ctx context.Context, c *console.Console) error {
	cur, err := c.Consulted(ctx)
	if err != nil {
		return err
	}
	open, err := cur.Record.List(ctx, forge.Filter{State: forge.Open})
	if _, err = forge.Damages(err); err != nil {
		return err
	}
	items, err := tracked.List(ctx, cur, open)
	if err != nil {
		return err
	}
	return showTracked(c, items)
}

type checkOptions struct {
	agent, take string
	dryRun      bool
}

func newUpstreamCheck(c *console.Console) *cobra.Command {
	var o checkOptions
	cmd := &cobra.Command{
		Use:   "check [NAME...]",
		Short: "Propose what changed in the sources of tracked skills",
		Long: `Check fetches the source of each tracked skill and compares three versions: what was
taken, what is there now, and what is in force. A change is proposed, with the source's
commits, its files and the new findings in the text. Local edits stay. Where both sides
changed the same lines, nothing is proposed and the files are named. --take settles these
lines as git merge -X does: all other changes of both sides stay. A file that is no text, or
that one side removed, is taken whole.

One content is proposed once, and not again after it was rejected. An earlier update that
nobody else changed is withdrawn for a newer one. A skill that its source no longer has is
named and stays. Nothing is merged.

Sources on this machine or in its network are read only for the skills that are named.

The exit code is 1 if a source could not be read, or its change could not be proposed.`,
		Example: `  assent upstream check --dry-run
  assent upstream check knot --take theirs`,
		ValidArgsFunction: complete.First(complete.Names(c)),
		RunE:              func(cmd *cobra.Command, args []string) error { return runUpstreamCheck(cmd.Context(), c, o, args) },
	}
	complete.AgentFlag(cmd, c, &o.agent)
	cmd.Flags().StringVar(&o.take, "take", "", "settle conflicts, hunk by hunk: `ours|theirs`")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "compare and validate, but propose nothing")
	return cmd
}

func runUpstreamCheck(ctx context.Context, c *console.Console, o checkOptions, args []string) error {
	if !slices.Contains([]string{"", tracked.Ours, tracked.Theirs}, o.take) {
		return console.Usage("--take %s: write ours or theirs", o.take)
	}
	open := c.Joined
	if o.dryRun {
		open = c.Consulted
	}
	cur, err := open(ctx)
	if err != nil {
		return err
	}
	r, err := console.Proposer(cur, o.agent, o.dryRun)
	if err != nil {
		return err
	}
	q := tracked.Options{By: r.By, Author: r.Author, Take: o.take, DryRun: o.dryRun}
	for _, name := range args {
		f, err := console.CapabilityNamed(cur, name)
		if err != nil {
			return err
		}
		q.Named = append(q.Named, f.Name)
	}
	items, err := tracked.Check(ctx, cur.Workspace, q)
	if err != nil {
		return err
	}
	for _, name := range q.Named {
		if !slices.ContainsFunc(items, func(i tracked.Item) bool { return i.Name == name }) {
			return console.Usage("%s is not tracked; record its source: assent import SOURCE --track", name)
		}
	}
	if err := showTracked(c, items); err != nil {
		return err
	}
	if slices.ContainsFunc(items, tracked.Item.Failed) {
		return console.Quiet(console.ExitFindings)
	}
	return nil
}

func showTracked(c *console.Console, items []tracked.Item) error {
	if c.JSON {
		return c.Emit(items)
	}
	if len(items) == 0 {
		c.Printf("no skill in force has a recorded source; assent import SOURCE --track records one\n")
	}
	for _, i := range items {
		state := c.Style.State(i.State)
		if i.Failed() {
			state = c.Style.Bad(i.State)
		}
		c.Printf("%s  %s  %s\n", c.Style.Bold(console.OneLine(i.Name)), state, console.OneLine(strings.TrimSpace(i.Source+" "+i.Path)))
		for _, line := range []struct {
			label string
			all   []string
		}{{"", one(i.Reason)}, {"proposal", one(i.Proposal)}, {"open", i.Open}, {"superseded", i.Superseded}, {"local edits", i.Edited}, {"conflicts", i.Conflicts}} {
			if len(line.all) > 0 {
				c.Printf("  %s\n", c.Style.Dim(console.OneLine(strings.TrimPrefix(line.label+": "+strings.Join(line.all, ", "), ": "))))
			}
		}
	}
	return nil
}

func one(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}
