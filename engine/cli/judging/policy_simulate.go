package judging

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/simulate"
	"github.com/assent-dev/assent/engine/workspace"
)

type simulateOptions struct {
	proposal, from string
	most           int
}

func newPolicySimulate(c *console.Console) *cobra.Command {
	var o simulateOptions
	cmd := &cobra.Command{
		Use:   "simulate [--proposal ID | --from DIR-or-REV]",
		Short: "What a change of policies would have changed",
		Long: `Simulate judges proposals that were merged, closed or are open by the policies in
force and by others: those of the worktree, of a proposal, of a folder that holds
policies/, or of a commit. It tells which would be answered otherwise, and why.

What validation found is taken as it was recorded, so that other limits on content
and other waivers do not show. Nothing is changed.`,
		Example: `  assent policy simulate
  assent policy simulate --proposal stricter-tools-k3v9q2mt --json
  assent policy simulate --from ../ideas`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runPolicySimulate(cmd.Context(), c, o) },
	}
	cmd.Flags().StringVar(&o.proposal, "proposal", "", "take the policies that merging proposal `ID` would bring")
	cmd.Flags().StringVar(&o.from, "from", "", "take the policies of the folder or commit `DIR-or-REV`")
	cmd.Flags().IntVar(&o.most, "most", 0, "judge the newest `N` proposals only; 0 for all")
	complete.Flag(cmd, "proposal", complete.OpenProposals(c))
	return cmd
}

func runPolicySimulate(ctx context.Context, c *console.Console, o simulateOptions) error {
	if o.proposal != "" && o.from != "" {
		return console.Usage("give one of --proposal and --from")
	}
	if o.most < 0 {
		return console.Usage("--most is a number of proposals")
	}
	cur, err := c.Current(ctx)
	if err != nil {
		return err
	}
	next, except, err := otherPolicies(ctx, c, cur, o)
	if err != nil {
		return err
	}
	res, err := simulate.Run(ctx, cur, next, except, o.most, simulationProgress(c))
	if err != nil {
		return err
	}
	if c.JSON {
		return c.Emit(res)
	}
	printSimulation(c, res)
	return nil
}

// manyProposals is the number of proposals between two reports of progress.
const manyProposals = 500

func simulationProgress(c *console.Console) simulate.Progress {
	return func(done, total int) {
		if total > manyProposals && done%manyProposals == 0 {
			c.Progress("%d of %d proposals", done, total)
		}
	}
}

// otherPolicies loads the policies to compare with, and names the proposal that
// brings them.
func otherPolicies(ctx context.Context, c *console.Console, cur workspace.Session, o simulateOptions) (policy.Policies, string, error) {
	view, except, err := otherView(ctx, c, cur, o)
	if err != nil {
		return policy.Policies{}, "", err
	}
	next, diags := policy.Load(view)
	if diags.HasErrors() {
		return next, "", console.Findings("the policies to compare with have errors", diags)
	}
	for _, d := range diags {
		if d.Severity == diag.Warning {
			c.Complain("%s %s", c.Style.Warn("warning:"), console.OneLine(d.Message))
		}
	}
	return next, except, nil
}

func otherView(ctx context.Context, c *console.Console, cur workspace.Session, o simulateOptions) (tree.View, string, error) {
	switch {
	case o.proposal != "":
		_, pull, err := c.Target(ctx, o.proposal)
		if err != nil {
			return nil, "", err
		}
		head := pull.Head
		if pull.State == forge.Open {
			result, err := cur.Result(cur.Main, pull.Head)
			if err != nil {
				return nil, "", err
			}
			if len(result.Conflicts) > 0 {
				return nil, "", console.Refused("assent rebase "+names.ShellWord(pull.ID), "%s does not apply to main any more", pull.ID)
			}
			head = result.Tree
		}
		view, err := cur.Repo.Snapshot(head)
		return view, pull.ID, err
	case o.from != "":
		dir := inDir(c.Dir, o.from)
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			view, err := policyFolder(ctx, c, dir)
			return view, "", err
		}
		commit, err := cur.Repo.Resolve(o.from)
		if errors.Is(err, gitstore.ErrNoRef) || errors.Is(err, gitstore.ErrNoObject) {
			return nil, "", console.Usage("--from %s: there is no such folder, and no commit is called that", o.from)
		}
		if err != nil {
			return nil, "", err
		}
		view, err := cur.Repo.Snapshot(commit)
		return view, "", err
	}
	view, err := policyView(ctx, cur.Workspace, false)
	return view, "", err
}

// policyFolder reads the policy files of a folder outside of any workspace.
func policyFolder(ctx context.Context, c *console.Console, dir string) (tree.View, error) {
	var files []tree.Edit
	for _, path := range policy.Files() {
		content, err := console.ReadFile(ctx, c, filepath.Join(dir, filepath.FromSlash(path)), console.MaxFile)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, console.Unread("policies", err)
		}
		files = append(files, tree.Edit{Path: path, Content: content})
	}
	if len(files) == 0 {
		return nil, console.Usage("%s holds no policies/*.yaml", dir)
	}
	return tree.NewMap(files...), nil
}

func printSimulation(c *console.Console, r simulate.Result) {
	for _, d := range r.Differences {
		phrase, reason := d.Change()
		c.Printf("%s  %s\n    %s\n", c.Style.Bold(console.OneLine(d.ID)), console.OneLine(phrase), c.Style.Dim(console.OneLine(reason)))
	}
	for _, s := range r.Skipped {
		c.Printf("%s  %s\n", console.OneLine(s.ID), c.Style.Dim("not judged again: "+console.OneLine(s.Why)))
	}
	c.Printf("%s\n", r.Summary())
}
