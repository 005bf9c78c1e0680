package judging

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/render"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

type checkOptions struct {
	format string
	paths  []string
}

func newCheck(c *console.Console) *cobra.Command {
	var o checkOptions
	cmd := &cobra.Command{
		Use:   "check [PATH...]",
		Short: "Validate the worktree before anything is proposed",
		Long: `Check validates what the worktree changes against what is in force, below PATHs or
everywhere, with the checks of a proposal. Where no workspace was begun yet, it
validates the whole tree.

It ends with 1 when something is wrong, so it can be a pre-commit hook:
  printf '#!/bin/sh\nexec assent check\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.paths = args
			return runCheck(cmd.Context(), c, o)
		},
	}
	addFormatFlag(cmd, &o.format)
	return cmd
}

// addFormatFlag adds --format.
func addFormatFlag(cmd *cobra.Command, format *string) {
	cmd.Flags().StringVar(format, "format", render.FormatText, "write the report as `FORMAT`: "+console.Words(render.Formats()))
	complete.Flag(cmd, "format", complete.Fixed(render.Formats()))
}

func runCheck(ctx context.Context, c *console.Console, o checkOptions) error {
	w, err := c.Open()
	if err != nil {
		return err
	}
	if w.Repo.Bare() {
		return console.Usage("the repository has no worktree to check; compare commits with: assent validate")
	}
	below, err := inRoot(c.Dir, w.Repo.Root(), o.paths)
	if err != nil {
		return err
	}
	in, err := checkInput(ctx, w)
	if err != nil {
		return err
	}
	outcome, err := validated(in)
	if err != nil {
		return err
	}
	if left := output.Ignored(gitstore.Ignored(in.Head), below); left != "" {
		c.Progress("%s", left)
	}
	r := outcome.Report
	r.Diagnostics = within(r.Diagnostics, below)
	r.Passed = !r.Diagnostics.HasErrors()
	return printReport(c, o.format, r)
}

// checkInput compares the worktree with the content in force; without a workspace, all of it is
// new.
func checkInput(ctx context.Context, w *workspace.Workspace) (validate.Input, error) {
	var areas []string
	for _, a := range names.GovernedAreas() {
		areas = append(areas, string(a))
	}
	disk, err := w.Repo.HashedWorktreeView(areas...)
	if err != nil {
		return validate.Input{}, fmt.Errorf("look at the worktree: %w", err)
	}
	cur, err := w.Session(ctx)
	if errors.Is(err, attest.ErrNoGenesis) || errors.Is(err, attest.ErrNoMain) {
		return validate.Begin(disk, workspace.Schedule), nil
	}
	if err != nil {
		return validate.Input{}, err
	}
	in := cur.Input(cur.View, w.Now())
	in.Head, in.HeadName, in.Worktree, in.Stopped = disk, "worktree", true, ctx.Err
	return in, nil
}

// inRoot makes paths of the command line paths of the workspace.
func inRoot(dir, root string, args []string) ([]string, error) {
	var out []string
	for _, arg := range args {
		abs, err := filepath.Abs(inDir(dir, arg))
		if err != nil {
			return nil, fmt.Errorf("find %s: %w", arg, err)
		}
		if _, err := os.Lstat(abs); err != nil {
			return nil, console.Usage("%s: no such file or folder", arg)
		}
		rel, err := filepath.Rel(realPath(root), realPath(abs))
		if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return nil, console.Usage("%s is outside the workspace %s", arg, root)
		}
		out = append(out, filepath.ToSlash(rel))
	}
	return out, nil
}

// realPath follows links where the path exists, as Git does for the root.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// within keeps the findings below paths; those about no file concern all.
func within(ds diag.List, below []string) diag.List {
	if len(below) == 0 {
		return ds
	}
	var out diag.List
	for _, d := range ds {
		for _, p := range below {
			if d.File == "" || p == "." || d.File == p || strings.HasPrefix(d.File, p+"/") {
				out.Add(d)
				break
			}
		}
	}
	return out
}

// printReport writes a report; the exit code says whether something is wrong.
func printReport(c *console.Console, format string, r validate.Report) error {
	if c.JSON {
		format = render.FormatJSON
	}
	out, err := render.Report(format, r)
	if err != nil {
		return &console.Failure{Code: console.ExitUsage, Err: err}
	}
	if _, err := c.World.Out.Write(out); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	if !r.Passed {
		return console.Quiet(console.ExitFindings)
	}
	return nil
}
