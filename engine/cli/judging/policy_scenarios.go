package judging

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/scenario"
	"github.com/assent-dev/assent/engine/workspace"
)

// trialsJSON is the answer of policy test.
type trialsJSON struct {
	Passed int         `json:"passed"`
	Failed int         `json:"failed"`
	Trials []trialJSON `json:"scenarios"`
}

// trialJSON is one scenario and the policies' answer.
type trialJSON struct {
	File     string         `json:"file"`
	Line     int            `json:"line"`
	Name     string         `json:"name"`
	Passed   bool           `json:"passed"`
	Risk     policy.Tier    `json:"risk"`
	Verdict  policy.Verdict `json:"verdict"`
	Failures diag.List      `json:"failures"`
}

func newPolicyTest(c *console.Console) *cobra.Command {
	var inForce bool
	cmd := &cobra.Command{
		Use:   "test [FILE...]",
		Short: "Try the policies with scenarios",
		Long: `Test judges what scenario files describe by the policies of the worktree, so that
a change of them can be tried before it is proposed, and tells each answer that is
not the expected one. Without FILE it takes those below policies/scenarios.

It ends with 0 when every scenario holds and with 1 otherwise. A proposal that changes
policies goes through the same.`,
		Example: `  assent policy test
  assent policy test ../ideas/finance.yaml --in-force`,
		RunE: func(cmd *cobra.Command, args []string) error { return runPolicyTest(cmd.Context(), c, args, inForce) },
	}
	cmd.Flags().BoolVar(&inForce, "in-force", false, "try the policies and scenarios that are in force")
	return cmd
}

func runPolicyTest(ctx context.Context, c *console.Console, args []string, inForce bool) error {
	w, err := c.Open()
	if err != nil {
		return err
	}
	view, err := policyView(ctx, w, inForce)
	if err != nil {
		return err
	}
	p, diags := policy.Load(view)
	files, found, err := scenarioFiles(ctx, c, view, args)
	if err != nil {
		return err
	}
	diags.Add(found...)
	if diags.HasErrors() {
		return console.Findings("the policies or scenarios cannot be used", diags)
	}
	results, found, err := scenario.Try(ctx.Err, p, files)
	if err != nil {
		return fmt.Errorf("try the scenarios: %w", err)
	}
	if found.HasErrors() {
		return console.Findings("the conditions cost too much", found)
	}
	out := trialsJSON{Trials: []trialJSON{}}
	for _, r := range results {
		out.add(r)
	}
	if c.JSON {
		err = c.Emit(out)
	} else {
		printTrials(c, out)
	}
	if err == nil && out.Failed > 0 {
		return console.Quiet(console.ExitFindings)
	}
	return err
}

// policyView returns the source of policies and scenarios: the worktree, or the tree in force if
// there is none.
func policyView(ctx context.Context, w *workspace.Workspace, inForce bool) (tree.View, error) {
	if inForce || w.Repo.Bare() {
		cur, err := w.Session(ctx)
		return cur.View, err
	}
	disk, err := w.Repo.WorktreeView(string(names.PoliciesArea))
	if err != nil {
		return nil, fmt.Errorf("look at the worktree: %w", err)
	}
	return disk, nil
}

// scenarioFiles reads the files that are named, or those of the workspace.
func scenarioFiles(ctx context.Context, c *console.Console, view tree.View, args []string) ([]scenario.File, diag.List, error) {
	if len(args) == 0 {
		files, diags, err := scenario.Load(view)
		if err == nil && len(files) == 0 && !diags.HasErrors() {
			err = console.Usage("there are no scenarios in %s: name a file, or write one; docs/policies.md says how", scenario.Dir)
		}
		return files, diags, err
	}
	var out []scenario.File
	var diags diag.List
	for _, arg := range args {
		src, err := console.ReadFile(ctx, c, inDir(c.Dir, arg), console.MaxFile)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil, console.Usage("%s: no such file", arg)
		}
		if err != nil {
			return nil, nil, console.Unread("scenarios", err)
		}
		f, found := scenario.Parse(filepath.ToSlash(arg), src)
		diags.Add(found...)
		out = append(out, f)
	}
	return out, diags, nil
}

func (t *trialsJSON) add(r scenario.Result) {
	one := trialJSON{
		File: r.File.Path, Line: r.Scenario.Pos.Line, Name: r.Scenario.Name, Passed: len(r.Failures) == 0,
		Risk: r.Risk.Tier, Verdict: r.Verdict, Failures: r.Failures,
	}
	if one.Failures == nil {
		one.Failures = diag.List{}
	}
	if one.Passed {
		t.Passed++
	} else {
		t.Failed++
	}
	t.Trials = append(t.Trials, one)
}

func printTrials(c *console.Console, t trialsJSON) {
	for _, one := range t.Trials {
		place := fmt.Sprintf("%s:%d", one.File, one.Line)
		if one.Passed {
			c.Printf("%s    %s  %s\n", c.Style.Good("ok"), console.OneLine(one.Name), c.Style.Dim(console.OneLine(place)))
			continue
		}
		c.Printf("%s  %s  %s\n", c.Style.Bad("FAIL"), console.OneLine(one.Name), c.Style.Dim(console.OneLine(place)))
		c.Diagnostics(c.World.Out, one.Failures)
	}
	c.Printf("%d of %d scenarios hold\n", t.Passed, t.Passed+t.Failed)
}
