package transfer

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/proposals/importer"
	"github.com/assent-dev/assent/engine/registry/archive"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

type importOptions struct {
	paths  []string
	agent  string
	group  string
	batch  bool
	dryRun bool
	// track records the source; ref and inside name the part of a Git repository.
	track       bool
	ref, inside string
}

func newImport(c *console.Console) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import PATH... | ADDRESS | FILE | -",
		Short: "Propose skills that others wrote, from their folders or an export of a registry",
		Long: `Import finds every folder with a SKILL.md in and below each PATH and proposes it as
a capability. A SKILL.md is rewritten only where the format demands it; what was
changed is told, and the original stays in history (assent export --original).

The group of a capability is --group, else the nearest folder above it, below PATH,
that could be a group's name. Importing again proposes nothing twice: what is in
force or proposed already is left alone, so that an import that was interrupted can
be run again.

ADDRESS is that of a git repository. Its branch --ref, or HEAD, is fetched into a temporary
repository, within bounds, and skills are taken from its folder --path. With --track, the
proposal also records address, ref, folder and commit in upstream.yaml beside the SKILL.md,
for assent upstream check; the PATH of a repository then means its commits, not its files.

FILE is an export of a whole registry (assent export --registry), "-" for standard input.
Its capabilities are proposed in as few proposals as the limits allow. Its trials are
recorded as those of an installation that policies do not name: they count a little for
ranks, and for no decision. Trials that this workspace exported are here already.

The exit code is 0 when everything was proposed or there already, and 1 when
something was skipped or its proposal refused; the rest is done all the same.`,
		Example: `  assent import ./my-skill
  assent import ./skills --agent scout --batch
  assent import ./skills --dry-run --json
  assent import https://example.org/skills.git --path skills/knot --track
  assent import registry.jsonl --dry-run`,
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
	cmd.Flags().BoolVar(&o.track, "track", false, "record the source, for assent upstream check")
	cmd.Flags().StringVar(&o.ref, "ref", "", "take branch, tag or commit `REF` of a git repository")
	cmd.Flags().StringVar(&o.inside, "path", "", "take skills in and below folder `DIR` of the source")
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
	from, err := o.source(ctx)
	if err != nil {
		return err
	}
	var folders []importer.Folder
	var found diag.List
	var theirs *archive.Archive
	if from != nil {
		defer from.Close()
		folders, found, err = o.findIn(ctx, cur, from)
	} else {
		folders, found, theirs, err = o.find(ctx, c)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, importer.ErrFile):
		return console.Usage("%v", err)
	case err != nil:
		return err
	case found.HasErrors():
		return console.Findings("nothing was imported", found)
	}
	v := importing{Console: c, total: len(folders), batch: o.batch || theirs != nil, dryRun: o.dryRun}
	result, err := importer.Run(ctx, cur.Workspace, importer.Options{
		By: r.By, Author: r.Author, Group: o.group, Batch: v.batch, DryRun: o.dryRun, Progress: v.progress,
	}, folders)
	if theirs != nil && err == nil {
		v.trials, err = adopt(ctx, cur, *theirs, o.dryRun)
	}
	if shown := v.show(result, found); shown != nil && err == nil {
		err = shown
	}
	return err
}

// find finds folders on the disk, or those of an export, which it returns as well.
func (o importOptions) find(ctx context.Context, c *console.Console) ([]importer.Folder, diag.List, *archive.Archive, error) {
	name := "-"
	if o.paths[0] != "-" {
		info, err := os.Stat(o.paths[0])
		if err != nil || !info.Mode().IsRegular() || strings.EqualFold(info.Name(), names.SkillFile) {
			folders, found, err := importer.Find(ctx, o.paths)
			return folders, found, nil, err
		}
		name = filepath.ToSlash(o.paths[0])
	}
	if len(o.paths) > 1 {
		return nil, nil, nil, console.Usage("%s is a file: an export is imported alone", o.paths[0])
	}
	from := console.Open(ctx, c, o.paths[0])
	defer from.Close()
	a, err := archive.Read(from)
	if errors.Is(err, archive.ErrNone) {
		return nil, nil, nil, console.Usage("import %s: %w; name the folder of a skill, or what assent export --registry wrote", name, err)
	}
	var found diag.List
	var bad archive.RowsError
	if errors.As(err, &bad) {
		for _, row := range bad {
			found.Errorf(importer.RuleRead, diag.Pos{File: name, Line: row.Line}, row.Fix, "%v", row.Err)
		}
		return nil, found, nil, nil
	}
	folders, found := importer.InArchive(name, a.Files)
	return folders, found, &a, err
}

// adopt records the trials of an export, unless they are this workspace's.
func adopt(ctx context.Context, cur workspace.Session, a archive.Archive, dryRun bool) (*adoptedJSON, error) {
	out := &adoptedJSON{Trials: len(a.Trials), Ours: a.Workspace == cur.ID()}
	if out.Ours || dryRun {
		return out, nil
	}
	var err error
	out.Adopted, err = triallog.Adopt(ctx, workspace.TrialsOf(cur), a.Trials)
	return out, err
}
