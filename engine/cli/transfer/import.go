package transfer

import (
	"context"
	"errors"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/proposals/importer"
)

type importOptions struct {
	paths  []string
	agent  string
	group  string
	batch  bool
	dryRun bool
}

func newImport(c *console.Console) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import PATH...",
		Short: "Propose skills that others wrote, from their folders",
		Long: `Import finds every folder with a SKILL.md in and below each PATH and proposes it as
a capability. A SKILL.md is rewritten only where the format demands it; what was
changed is told, and the original stays in history (assent export --original).

The group of a capability is --group, else the nearest folder above it, below PATH,
that could be a group's name. Importing again proposes nothing twice: what is in
force or proposed already is left alone, so that an import that was interrupted can
be run again.

The exit code is 0 when everything was proposed or there already, and 1 when
something was skipped or its proposal refused; the rest is done all the same.`,
		Example: `  assent import ./my-skill
  assent import ./skills --agent scout --batch
  assent import ./skills --dry-run --json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.paths = args
			return runImport(cmd.Context(), c, o)
		},
	}
	complete.AgentFlag(cmd, c, &o.agent)
	cmd.Flags().StringVar(&o.group, "group", "", "put everything into skills/`GROUP`/")
	complete.Flag(cmd, "group", complete.Groups(c))
	cmd.Flags().BoolVar(&o.batch, "batch", false, "put as much into one proposal as the limits allow")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "validate and judge, but write nothing")
	return cmd
}

func runImport(ctx context.Context, c *console.Console, o importOptions) error {
	if bad := names.CheckGroup(o.group, diag.Pos{}); o.group != "" && bad.HasErrors() {
		return console.Usage("--group: %s", bad[0].Message)
	}
	cur, err := c.Joined(ctx)
	if err != nil {
		return err
	}
	r, err := console.Proposer(cur, o.agent, o.dryRun)
	if err != nil {
		return err
	}
	folders, found, err := importer.Find(ctx, o.paths)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, importer.ErrFile):
		return console.Usage("%v", err)
	case err != nil:
		return err
	case found.HasErrors():
		return console.Findings("nothing was imported", found)
	}
	v := importing{Console: c, total: len(folders), batch: o.batch, dryRun: o.dryRun}
	result, err := importer.Run(ctx, cur.Workspace, importer.Options{
		By: r.By, Author: r.Author, Group: o.group, Batch: o.batch, DryRun: o.dryRun, Progress: v.progress,
	}, folders)
	if shown := v.show(result, found); shown != nil && err == nil {
		err = shown
	}
	return err
}
