package proposals

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/format/advice"
	"github.com/assent-dev/assent/engine/format/suite"
	"github.com/assent-dev/assent/engine/proposals/fill"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/tools/prove"
	"github.com/assent-dev/assent/engine/workspace"
)

func newFill(c *console.Console) *cobra.Command {
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
		ValidArgsFunction: complete.First(complete.OpenProposals(c)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runFill(cmd.Context(), c, args[0], agent, dryRun)
		},
	}
	complete.AgentFlag(cmd, c, &agent)
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "ask, validate and try, but write nothing")
	return cmd
}

func runFill(ctx context.Context, c *console.Console, id, agent string, dryRun bool) error {
	cur, pull, err := c.Target(ctx, id)
	if err != nil {
		return err
	}
	o, err := filler(ctx, c, cur, agent, dryRun)
	if err != nil {
		return err
	}
	out, err := fill.Run(ctx, cur, pull.ID, o)
	var no *fill.Refusal
	var box *sandbox.Refusal
	switch {
	case errors.As(err, &no):
		return console.Refused(no.Fix, "nothing was drafted: %s", no.Why)
	case errors.As(err, &box):
		return unsafe(box)
	case err == nil && out.Diagnostics.HasErrors():
		return console.Findings("the proposal stays as it was: the draft cannot stand as it is", out.Diagnostics)
	case errors.Is(err, propose.ErrNothing), err != nil:
		return printMoved(ctx, c, cur.Workspace, pull.ID, out.Outcome, nil, dryRun, err)
	}
	notes, err := filledNotes(o.Name, out.Checks)
	if err != nil {
		return err
	}
	return output.PrintOutcome(c, cur.Workspace, out.Outcome, notes, dryRun)
}

// filler returns the drafter and the actor.
func filler(ctx context.Context, c *console.Console, cur workspace.Session, agent string, dryRun bool) (fill.Options, error) {
	config, is, err := console.WhoIsAsked(advice.DrafterFile)
	switch {
	case err != nil:
		return fill.Options{}, err
	case !is:
		return fill.Options{}, console.Usage("no drafter is configured: write %s in your own folder (docs/tools.md)", advice.DrafterFile)
	case !config.For(cur.ID()):
		return fill.Options{}, console.Usage("%s is not for this workspace, %s", advice.DrafterFile, cur.ID())
	}
	key, err := console.SecretIn(ctx, c, config.KeyFile)
	if err != nil {
		return fill.Options{}, err
	}
	r, err := console.Proposer(cur, agent, dryRun)
	if err != nil {
		return fill.Options{}, err
	}
	return fill.Options{
		Drafter: fill.Form().Of(config, key), Name: config.Asked(), Timeout: config.Timeout, By: r.By, DryRun: dryRun, Say: c.Progress,
	}, nil
}

func unsafe(no *sandbox.Refusal) error {
	return console.Refused(no.Fix, "nothing was drafted: code is tried in the sandbox only, and %s", no.Why)
}

// filledNotes lists the checks; the error names one that failed, or could not be run here.
func filledNotes(name string, checks []prove.Check) ([]string, error) {
	notes := []string{"drafted by " + name}
	for _, k := range checks {
		switch k.Verdict {
		case suite.Pass:
			notes = append(notes, fmt.Sprintf("verified: %s: %s", k.What, k.Says))
		case suite.Skip:
			return nil, &console.Failure{Code: console.ExitWorld, Err: fmt.Errorf("the proposal stays as it was: %s was not tried: %s", k.What, k.Says)}
		default:
			return nil, &console.Failure{Code: console.ExitFindings, Err: fmt.Errorf("the proposal stays as it was: the draft does not hold: %s: %s", k.What, k.Says)}
		}
	}
	return notes, nil
}
