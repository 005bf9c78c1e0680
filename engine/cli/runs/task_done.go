package runs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/proposals/folder"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

func newTaskDone(c *console.Console) *cobra.Command {
	var o taskOptions
	cmd := &cobra.Command{
		Use:   "done RUN/JOB --result FILE",
		Short: "Hand in the result of a task",
		Long: `Done hands in a result (assent schema task-result) and the files of a task. Exactly
these files become one commit on the run's proposal, and you an author of it, who
cannot approve it.

It ends with 1 when the result does not answer the task, or validation refuses the
files: they are on the proposal then, the task is still yours, and it can be handed in
again. It ends with 3 when the job's gate is not passed, which ends the attempt.

With a remote, the result and the proposal go there, too; --local keeps them in this clone
until assent push.`,
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
	localFlag(cmd, c)
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "say whether the result answers and the files fit, but hand nothing in")
	return cmd
}

func runTaskDone(ctx context.Context, c *console.Console, o taskOptions) error {
	if o.result == "" {
		return console.Usage("--result FILE is missing: the result of the task; assent schema task-result describes it")
	}
	cur, t, name, err := takenTask(ctx, c, o)
	if err != nil {
		return err
	}
	d, diags, err := readDelivery(ctx, c, cur, o)
	if err != nil {
		return err
	}
	if diags.HasErrors() {
		return console.Findings("nothing was handed in", diags)
	}
	d.By = name
	out, err := task.Deliver(ctx, cur, t, d)
	var untested *task.Untested
	if errors.As(err, &untested) {
		return &console.Failure{Code: console.ExitWorld, Err: err, Hint: "the files are on the proposal and the task is still yours: mend that, or hand in elsewhere"}
	}
	if err != nil {
		return ofTask(unknownTaker(err), t.Run.ID)
	}
	return printHandedIn(ctx, c, cur, out, o.dryRun)
}

// readDelivery reads the result and the files.
func readDelivery(ctx context.Context, c *console.Console, cur workspace.Session, o taskOptions) (task.Delivery, diag.List, error) {
	d := task.Delivery{Source: o.result, DryRun: o.dryRun}
	src, err := readResult(ctx, c, o.result)
	if err != nil {
		return d, nil, err
	}
	var diags diag.List
	d.Digest = canonical.Digest(src)
	d.Result, diags = run.ParseResult(o.result, src)
	for _, dir := range o.dirs {
		edits, more, err := folder.Read(dir, console.FolderBounds(cur))
		if err != nil {
			return d, diags, err
		}
		diags.Add(more...)
		d.Edits = append(d.Edits, edits...)
	}
	for _, text := range o.files {
		e, err := oneFile(cur, text)
		if err != nil {
			return d, diags, err
		}
		d.Edits = append(d.Edits, e)
	}
	return d, diags, nil
}

func readResult(ctx context.Context, c *console.Console, name string) ([]byte, error) {
	in := console.Open(ctx, c, name)
	defer in.Close()
	src, err := io.ReadAll(io.LimitReader(in, run.MaxResult+1))
	if err != nil {
		return nil, console.Unread("the result", err)
	}
	return src, nil
}

// oneFile reads PATH, or PATH=FROM.
func oneFile(cur workspace.Session, text string) (tree.Edit, error) {
	path, from, elsewhere := strings.Cut(text, "=")
	if !elsewhere {
		from = filepath.Join(cur.Repo.Root(), filepath.FromSlash(path))
	}
	info, err := os.Lstat(from)
	switch limit := cur.Policies.Limits.FileBytes; {
	case err != nil:
		return tree.Edit{}, console.Usage("--file %s: %v", path, err)
	case !info.Mode().IsRegular():
		return tree.Edit{}, console.Usage("--file %s: %s is no regular file", path, from)
	case info.Size() > limit:
		return tree.Edit{}, console.Usage("--file %s: it has %d bytes, the limit is %d", path, info.Size(), limit)
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

// deliveredJSON is the JSON of a delivery.
type deliveredJSON struct {
	Task        string    `json:"task"`
	DryRun      bool      `json:"dry_run"`
	Pushed      bool      `json:"pushed"`
	Refused     string    `json:"refused"`
	Diagnostics diag.List `json:"diagnostics"`
	Run         workJSON  `json:"run"`
}

func printHandedIn(ctx context.Context, c *console.Console, cur workspace.Session, out task.Delivered, dryRun bool) error {
	v := deliveredJSON{
		Task: out.Name(), DryRun: dryRun, Pushed: out.Pushed, Refused: out.Refused, Diagnostics: problems(out.Diagnostics),
		Run: runView(out.Run, cur.Now()),
	}
	if out.Diagnostics.HasErrors() {
		what := "nothing was handed in"
		if out.Pushed {
			what = "the files are on the proposal " + out.Run.ID + ", and are not accepted yet: the task is still yours"
		}
		return console.Findings(what, out.Diagnostics)
	}
	if dryRun {
		if c.JSON {
			return c.Emit(v)
		}
		c.Printf("would hand in %s\n", c.Style.Bold(console.OneLine(out.Name())))
		return nil
	}
	went, err := task.Advance(ctx, cur.Workspace, out.Run.ID)
	if err != nil {
		return err
	}
	v.Run = runView(went.State, cur.Now()).placed(c, cur)
	if c.JSON {
		if err := c.Emit(v); err != nil {
			return err
		}
	} else {
		c.Diagnostics(c.World.Out, out.Diagnostics)
		if out.Refused == "" {
			c.Printf("%s %s\n", c.Style.Good("done:"), c.Style.Bold(console.OneLine(out.Name())))
		} else {
			c.Printf("%s %s: %s\n", c.Style.Bad("not good enough:"), c.Style.Bold(console.OneLine(out.Name())), console.OneLine(out.Refused))
		}
		printSteps(c, cur.Policies.Roles, went)
		printWhere(c, cur, false)
	}
	if out.Refused != "" {
		return console.Quiet(console.ExitRefused)
	}
	return nil
}
