package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/task"
	"github.com/assent-dev/assent/engine/workflow"
)

// gapOptions are what somebody says they lack.
type gapOptions struct {
	capability, goal, missing, reason, agent string
	dryRun                                   bool
}

func newGap(c *console) *cobra.Command {
	var o gapOptions
	cmd := &cobra.Command{
		Use:   "gap CAPABILITY GOAL",
		Short: "Say what you lack, and start whatever workflow brings it",
		Long: `Gap starts a run of each workflow in force that waits for gaps. It changes nothing
by itself: others are asked to find out and to build, and what they do is a proposal.`,
		Example: `  assent gap voice-call "learn to call phones" --agent scout --missing "outbound calls"`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.capability, o.goal = args[0], args[1]
			return runGap(cmd.Context(), c, o)
		},
	}
	cmd.Flags().StringVar(&o.missing, "missing", "", "what is lacking, in a `TEXT`")
	cmd.Flags().StringVar(&o.reason, "reason", "", "why nothing that is there will do")
	c.agentFlag(cmd, &o.agent)
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "say what would be started, but start nothing")
	return cmd
}

func runGap(ctx context.Context, c *console, o gapOptions) error {
	w, cur, all, err := c.startable(ctx)
	if err != nil {
		return err
	}
	given := map[string]string{"capability": o.capability, "goal": o.goal, "missing": o.missing, "reason": o.reason}
	started := false
	for _, f := range all {
		if !f.On.Gap {
			continue
		}
		started = true
		inputs := map[string]string{}
		for _, in := range f.Inputs {
			if text := strings.TrimSpace(given[in.Name]); text != "" {
				inputs[in.Name] = text
			}
		}
		b := task.Beginning{Workflow: f, Event: workflow.Gap, Inputs: inputs, DryRun: o.dryRun}
		if err := c.begin(ctx, w, cur, b, o.agent); err != nil {
			return err
		}
	}
	if !started {
		return refused("propose a workflow with on: {gap: true}", "no workflow in force waits for gaps")
	}
	return nil
}
