package runs

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/workspace"
)

// gapOptions are what somebody says they lack.
type gapOptions struct {
	capability, goal, missing, reason, agent string
	dryRun                                   bool
}

func newGap(c *console.Console) *cobra.Command {
	var o gapOptions
	cmd := &cobra.Command{
		Use:   "gap CAPABILITY GOAL",
		Short: "Say what you lack, and start whatever workflow brings it",
		Long: `Gap starts a run of each workflow in force that waits for gaps. It changes nothing
by itself: others are asked to find out and to build, and what they do is a proposal.

A capability that is in force and can be used is no gap: nothing is started, and the
answer says how to load or to call it.`,
		Example: `  assent gap voice-call "learn to call phones" --agent scout --missing "outbound calls"`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.capability, o.goal = args[0], args[1]
			return runGap(cmd.Context(), c, o)
		},
	}
	cmd.Flags().StringVar(&o.missing, "missing", "", "what is lacking, in a `TEXT`")
	cmd.Flags().StringVar(&o.reason, "reason", "", "why nothing that is there will do")
	complete.AgentFlag(cmd, c, &o.agent)
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "say what would be started, but start nothing")
	return cmd
}

func runGap(ctx context.Context, c *console.Console, o gapOptions) error {
	cur, all, err := startable(ctx, c)
	if err != nil {
		return err
	}
	if err := inForce(cur, o.capability); err != nil {
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
		if err := beginRun(ctx, c, cur, b, o.agent); err != nil {
			return err
		}
	}
	if !started {
		return console.Refused("propose a workflow with on: {gap: true}", "no workflow in force waits for gaps")
	}
	return nil
}

// inForce refuses a gap for what is in force and can be used, under any spelling of its name, and says how.
// A specification that nothing implements, and code that nobody may call yet, are gaps.
func inForce(cur workspace.Session, name string) error {
	known, err := cur.View.Named(name)
	if err != nil || len(known) == 0 {
		return err
	}
	c, _, err := capability.Glance(cur.View, known[0])
	if err != nil {
		return err
	}
	usable := c.Status.Runs()
	if c.SpecOnly {
		ways, err := cur.Capabilities.Related(index.Implements, c.Name)
		if err != nil {
			return err
		}
		usable = slices.ContainsFunc(ways, func(way index.Entry) bool { return way.Status.Runs() && !way.SpecOnly })
	}
	if !usable {
		return nil
	}
	how := "load it: assent cat " + c.Name
	switch c.Kind {
	case capability.KindTool:
		how = "call it: assent run-tool " + names.Callable(c.Name) + " --input JSON"
	case capability.KindMCP:
		how = "its methods: assent run-tool " + names.Callable(c.Name) + " --methods"
	}
	return console.Refused(how+"; if it lacks something, propose a change of it", "nothing was started: %s is in force already, in %s", c.Name, c.Path)
}
