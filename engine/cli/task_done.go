package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/proposals/folder"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

func newTaskDone(c *console) *cobra.Command {
	var o taskOptions
	cmd := &cobra.Command{
		Use:   "done RUN/JOB --result FILE",
		Short: "Hand in what was done for a task",
		Long: `Done hands in a result (assent schema task-result) and the files of a task. Exactly
these files become one commit on the run's proposal, and you an author of it, who
cannot approve it.

It ends with 1 when the result does not answer the task, or validation refuses the
files: they are on the proposal then, the task is still yours, and it can be handed in
again. It ends with 3 when the job's gate is not passed, which ends the attempt.`,
		Example: `  assent task done voice-call-k3v9q2mt/research --agent researcher --result result.json --files out`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name = args[0]
			return runTaskDone(cmd.Context(), c, o)
		},
	}
	o.flags(c, cmd)
	cmd.Flags().StringVar(&o.result, "result", "", "the result, a JSON `FILE`; - for standard input (required)")
	cmd.Flags().StringArrayVar(&o.files, "file", nil, "hand in the file at this `PATH` of the workspace; PATH=FROM reads it elsewhere; may be repeated")
	cmd.Flags().StringArrayVar(&o.dirs, "files", nil, "hand in all files of `DIR`, which is laid out like the workspace; may be repeated")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "say whether the result answers and the files fit, but hand nothing in")
	return cmd
}

func runTaskDone(ctx context.Context, c *console, o taskOptions) error {
	if o.result == "" {
		return usage("--result FILE is what was found or done; assent schema task-result describes it")
	}
	cur, t, name, err := c.taken(ctx, o)
	if err != nil {
		return err
	}
	d, diags, err := c.delivery(cur, o)
	if err != nil {
		return err
	}
	if diags.HasErrors() {
		return findings("nothing was handed in", diags)
	}
	d.By = name
	out, err := task.Deliver(ctx, cur, t, d)
	if err != nil {
		return ofTask(unknownTaker(err))
	}
	return c.handedIn(ctx, cur, out, o.dryRun)
}

// delivery reads what is handed in.
func (c *console) delivery(cur workspace.Session, o taskOptions) (task.Delivery, diag.List, error) {
	d := task.Delivery{Source: o.result, DryRun: o.dryRun}
	src, err := c.readResult(o.result)
	if err != nil {
		return d, nil, err
	}
	var diags diag.List
	d.Digest = provenance.DigestOf(src)
	d.Result, diags = run.ParseResult(o.result, src)
	for _, dir := range o.dirs {
		edits, more, err := folder.Read(dir, boundsOf(cur))
		if err != nil {
			return d, diags, err
		}
		diags.Add(more...)
		d.Edits = append(d.Edits, edits...)
	}
	for _, text := range o.files {
		e, err := c.oneFile(cur, text)
		if err != nil {
			return d, diags, err
		}
		d.Edits = append(d.Edits, e)
	}
	return d, diags, nil
}

func (c *console) readResult(name string) ([]byte, error) {
	in := c.world.In
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, usage("read the result: %v", err)
		}
		defer f.Close()
		in = f
	}
	src, err := io.ReadAll(io.LimitReader(in, run.MaxResult+1))
	if err != nil {
		return nil, fmt.Errorf("read the result %s: %w", name, err)
	}
	return src, nil
}

// oneFile reads PATH, or PATH=FROM.
func (c *console) oneFile(cur workspace.Session, text string) (tree.Edit, error) {
	path, from, elsewhere := strings.Cut(text, "=")
	if !elsewhere {
		from = filepath.Join(cur.Repo.Root(), filepath.FromSlash(path))
	}
	info, err := os.Lstat(from)
	switch limit := cur.Policies.Limits.FileBytes; {
	case err != nil:
		return tree.Edit{}, usage("--file %s: %v", path, err)
	case !info.Mode().IsRegular():
		return tree.Edit{}, usage("--file %s: %s is no regular file", path, from)
	case info.Size() > limit:
		return tree.Edit{}, usage("--file %s: it has %d bytes, the limit is %d", path, info.Size(), limit)
	}
	content, err := os.ReadFile(from)
	if err != nil {
		return tree.Edit{}, fmt.Errorf("read %s: %w", from, err)
	}
	e := tree.Edit{Path: path, Content: content}
	if info.Mode()&0o111 != 0 && strings.Contains(path, "/scripts/") {
		e.Mode = tree.Executable
	}
	return e, nil
}

// deliveredJSON is what machines get of a delivery.
type deliveredJSON struct {
	Task        string    `json:"task"`
	DryRun      bool      `json:"dry_run"`
	Pushed      bool      `json:"pushed"`
	Refused     string    `json:"refused"`
	Diagnostics diag.List `json:"diagnostics"`
	Run         workJSON  `json:"run"`
}

func (c *console) handedIn(ctx context.Context, cur workspace.Session, out task.Delivered, dryRun bool) error {
	v := deliveredJSON{
		Task: out.Name(), DryRun: dryRun, Pushed: out.Pushed, Refused: out.Refused, Diagnostics: problems(out.Diagnostics),
		Run: runView(out.Run, cur.Now()),
	}
	if out.Diagnostics.HasErrors() {
		what := "nothing was handed in"
		if out.Pushed {
			what = "the files are on the proposal " + out.Run.ID + ", and validation refuses them: the task is still yours"
		}
		return findings(what, out.Diagnostics)
	}
	if dryRun {
		if c.json {
			return c.emit(v)
		}
		c.printf("would hand in %s\n", c.style.bold(oneLine(out.Name())))
		return nil
	}
	went, err := task.Advance(ctx, cur.Workspace, out.Run.ID)
	if err != nil {
		return err
	}
	v.Run = runView(went.State, cur.Now())
	if c.json {
		if err := c.emit(v); err != nil {
			return err
		}
	} else {
		c.diagnostics(c.world.Out, out.Diagnostics)
		if out.Refused == "" {
			c.printf("%s %s\n", c.style.good("done:"), c.style.bold(oneLine(out.Name())))
		} else {
			c.printf("%s %s: %s\n", c.style.bad("not good enough:"), c.style.bold(oneLine(out.Name())), oneLine(out.Refused))
		}
		c.tookSteps(cur.Policies.Roles, went)
	}
	if out.Refused != "" {
		return quiet(exitRefused)
	}
	return nil
}
