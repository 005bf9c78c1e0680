package runs

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/proposals/quarantine"
	"github.com/assent-dev/assent/engine/registry/gaps"
	"github.com/assent-dev/assent/engine/tools/answers"
	"github.com/assent-dev/assent/engine/tools/discover"
	"github.com/assent-dev/assent/engine/workspace"
)

// gapOptions describe a missing capability.
type gapOptions struct {
	task.Lack
	agent  string
	dryRun bool
}

func newGap(c *console.Console) *cobra.Command {
	var o gapOptions
	cmd := &cobra.Command{
		Use:   "gap CAPABILITY GOAL",
		Short: "Say what you lack, and start whatever workflow brings it",
		Long: `Gap starts a run of each workflow in force with the event gap. It changes nothing
by itself: others are asked to find out and to build, and what they do is a proposal.

A capability that is in force and can be used is no gap: nothing is started, and the
answer says how to load or to call it. Of a tool in quarantine the workflows that mend are started. Where the same was rejected before, the answer names
the proposal and the reason.`,
		Example: `  assent gap voice-call "learn to call phones" --agent scout --missing "outbound calls"`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Capability, o.Goal = args[0], args[1]
			return runGap(cmd.Context(), c, o)
		},
	}
	cmd.Flags().StringVar(&o.Missing, "missing", "", "what is lacking, in a `TEXT`")
	cmd.Flags().StringVarP(&o.Reason, "reason", "m", "", "why nothing that is there will do")
	cmd.Flags().StringVar(&o.Type, "type", "", "what kind of thing it is, a `WORD` such as webhook: it chooses who builds it")
	cmd.Flags().StringVar(&o.Complexity, "complexity", "", "how hard it is, a `WORD` of the workflow, such as simple, medium or complex")
	cmd.Flags().StringVar(&o.Priority, "priority", "", "how urgent it is, a `WORD` of the workflow, such as low, normal, high or critical")
	complete.AgentFlag(cmd, c, &o.agent)
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "say what would be started, but start nothing")
	return cmd
}

func runGap(ctx context.Context, c *console.Console, o gapOptions) error {
	cur, err := c.Joined(ctx)
	if err != nil {
		return err
	}
	beginnings, err := task.Gap(cur, o.Lack)
	var there *task.Present
	var untaken *task.Untaken
	switch {
	case errors.As(err, &untaken):
		return console.Usage("%s: leave out --%s", err, untaken.Input)
	case errors.As(err, &there):
		how, herr := useOf(ctx, cur, there.Capability)
		if herr != nil {
			return herr
		}
		return console.Refused(how+"; if it lacks something, propose a change of it", "%s", err)
	case errors.Is(err, task.ErrNoGaps):
		return console.Refused("propose a workflow with on: {gap: true}", "%s", err)
	case err != nil:
		return err
	}
	rejected, err := rejection(ctx, cur, o)
	if err != nil {
		return err
	}
	if rejected != nil {
		c.Complain("%s %s; %s", c.Style.Warn("note:"), console.OneLine(gapJSON{Answer: *rejected}.answer()), rejected.Next)
	}
	for _, b := range beginnings {
		b.DryRun = o.dryRun
		if err := beginRun(ctx, c, cur, b, o.agent, func(v *workJSON) { v.Rejected = rejected }); err != nil {
			return err
		}
	}
	return nil
}

// rejection returns the rejection of an earlier proposal for the same gap, nil without one.
func rejection(ctx context.Context, cur workspace.Session, o gapOptions) (*answers.Answer, error) {
	here, err := discover.Open(ctx, cur)
	if err != nil {
		return nil, err
	}
	found, err := answers.New(here, o.agent).Answer(ctx, gaps.Gap{Name: names.Fold(o.Capability), Purpose: o.Goal})
	if err != nil || found.Status != answers.Rejected {
		return nil, err
	}
	return &found, nil
}

// useOf says how a capability in force is used, or why it is refused now.
func useOf(ctx context.Context, cur workspace.Session, c capability.Capability) (string, error) {
	stops, err := cur.Stops(ctx)
	if err != nil {
		return "", err
	}
	if _, stopped := stops.Of(names.Fold(c.Name)); stopped {
		return "a human stopped it: assent stop --list says why and until when", nil
	}
	s, runs, err := quarantine.Look(ctx, cur, workspace.HealthOf(cur), c.Path, cur.Now())
	switch {
	case err != nil:
		return "", err
	case runs && !s.Health.State.Runs():
		return "it is in quarantine here: assent health " + names.ShellWord(c.Name) + " says why; propose a repair", nil
	case c.Kind == capability.KindTool:
		return "call it: assent run-tool " + names.Callable(c.Name) + " --input JSON", nil
	case c.Kind == capability.KindMCP:
		return "its methods: assent run-tool " + names.Callable(c.Name) + " --methods", nil
	}
	return "load it: assent cat " + names.ShellWord(c.Name), nil
}
