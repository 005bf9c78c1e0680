package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/format/asked"
	"github.com/assent-dev/assent/engine/format/suite"
	"github.com/assent-dev/assent/engine/proposals/fill"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/tools/prove"
	"github.com/assent-dev/assent/engine/workspace"
)

func newFill(c *console) *cobra.Command {
	var agent string
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "fill ID",
		Short: "Have a drafter fill in the template that a proposal brings",
		Long: `Fill asks whoever drafter.yaml of your own folder names, a program or a model, to write the
code of the one new tool or server that an open proposal brings. What comes back goes onto
the proposal's branch, as a commit of the drafter, and never into the worktree.

It is for agents and kinds of proposals whose mode in policies/autonomy.yaml is sandboxed or
autonomous. A draft cannot add hosts, secrets, programs, permissions or packages, change a
test case, or leave the capability's folder. It is validated and tried in the sandbox; if
anything does not hold, the proposal stays as it was.`,
		Example: `  assent new mcp weather --template http-api --host api.example.com:443 --propose --agent smith --goal "tell the weather"
  assent fill weather-k3v9q2mt --agent smith`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: first(c.openProposals),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runFill(cmd.Context(), c, args[0], agent, dryRun)
		},
	}
	c.agentFlag(cmd, &agent)
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "ask, validate and try, but write nothing")
	return cmd
}

func runFill(ctx context.Context, c *console, id, agent string, dryRun bool) error {
	cur, pull, err := c.target(ctx, id)
	if err != nil {
		return err
	}
	o, err := c.filler(ctx, cur, agent, dryRun)
	if err != nil {
		return err
	}
	out, err := fill.Run(ctx, cur, pull.ID, o)
	var no *fill.Refusal
	var box *sandbox.Refusal
	switch {
	case errors.As(err, &no):
		return refused(no.Fix, "nothing was drafted: %s", no.Why)
	case errors.As(err, &box):
		return unsafe(box)
	case err == nil && out.Diagnostics.HasErrors():
		return findings("the proposal stays as it was: the draft cannot stand as it is", out.Diagnostics)
	case errors.Is(err, propose.ErrNothing), err != nil:
		return c.moved(ctx, cur.Workspace, pull.ID, out.Outcome, nil, dryRun, err)
	}
	notes, err := filledNotes(o.Name, out.Checks)
	if err != nil {
		return err
	}
	return c.outcome(cur.Workspace, out.Outcome, notes, dryRun)
}

// filler is who is asked, by whom, and where the answer is tried.
func (c *console) filler(ctx context.Context, cur workspace.Session, agent string, dryRun bool) (fill.Options, error) {
	config, is, err := whoIsAsked(asked.DrafterFile)
	switch {
	case err != nil:
		return fill.Options{}, err
	case !is:
		return fill.Options{}, usage("nobody is configured to draft: write %s in your own folder (docs/tools.md)", asked.DrafterFile)
	case !config.For(cur.ID()):
		return fill.Options{}, usage("%s is not for this workspace, %s", asked.DrafterFile, cur.ID())
	}
	key, err := secretIn(config.KeyFile)
	if err != nil {
		return fill.Options{}, err
	}
	r, err := c.proposer(cur, agent, dryRun)
	if err != nil {
		return fill.Options{}, err
	}
	box, err := sandbox.New(ctx)
	var no *sandbox.Refusal
	if errors.As(err, &no) {
		return fill.Options{}, unsafe(no)
	}
	return fill.Options{
		Drafter: fill.Form().Of(config, key), Name: config.Asked(), Timeout: config.Timeout, By: r.By, Runner: box, DryRun: dryRun, Say: c.progress,
	}, err
}

func unsafe(no *sandbox.Refusal) error {
	return refused(no.Fix, "nothing was drafted: code is tried in the sandbox only, and %s", no.Why)
}

// filledNotes says what was tried; an error says what does not hold, or could not be tried
// here.
func filledNotes(name string, checks []prove.Check) ([]string, error) {
	notes := []string{"drafted by " + name}
	for _, k := range checks {
		switch k.Verdict {
		case suite.Pass:
			notes = append(notes, fmt.Sprintf("verified: %s: %s", k.What, k.Says))
		case suite.Skip:
			return nil, &failure{code: exitWorld, err: fmt.Errorf("the proposal stays as it was: %s was not tried: %s", k.What, k.Says)}
		default:
			return nil, &failure{code: exitFindings, err: fmt.Errorf("the proposal stays as it was: the draft does not hold: %s: %s", k.What, k.Says)}
		}
	}
	return notes, nil
}
