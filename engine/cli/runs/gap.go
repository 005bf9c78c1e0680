package runs

import (
	"cmp"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/agents/mission"
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/proposals/quarantine"
	"github.com/assent-dev/assent/engine/registry/gaps"
	"github.com/assent-dev/assent/engine/tools/answers"
	"github.com/assent-dev/assent/engine/workspace"
)

// gapOptions describe a missing capability.
type gapOptions struct {
	task.Lack
	agent          string
	dryRun, anyway bool
}

func newGap(c *console.Console) *cobra.Command {
	var o gapOptions
	cmd := &cobra.Command{
		Use:   "gap CAPABILITY GOAL",
		Short: "Say what you lack, and start whatever workflow brings it",
		Long: `Gap starts a run of each workflow in force with the event gap. It changes nothing
by itself: others are asked to find out and to build, and what they do is a proposal.

It starts nothing and ends with 3 if the gap is answered already: by a capability in force
or archived, an open proposal or run, or an earlier rejection. --anyway starts it, unless a
capability of that name can be used or a run is under way.
With enabled: false in policies/gaps.yaml a gap is answered, and nothing is started.
For a tool in quarantine it starts the workflows that repair it, and with --improve for
one that works but does worse than another that provides the same, or than its own former
version; assent stats --utility names these.
A new capability's run has an estimate of cost and benefit.`,
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
	cmd.Flags().StringVar(&o.APIHint, "api-hint", "", "the API that it needs, as a name or address (`TEXT`); tasks show it")
	complete.AgentFlag(cmd, c, &o.agent)
	localFlag(cmd, c)
	cmd.Flags().BoolVar(&o.anyway, "anyway", false, "start it although something serves it, or the same was rejected")
	cmd.Flags().BoolVar(&o.Improve, "improve", false, "have a tool or server improved that works and is shown to do worse than another one")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "say what would be started, but start nothing")
	return cmd
}

func runGap(ctx context.Context, c *console.Console, o gapOptions) error {
	o.Capability = names.Fold(o.Capability)
	if bad := names.CheckCapability(o.Capability, diag.Pos{}); bad.HasErrors() {
		return &console.Failure{Code: console.ExitUsage, Err: errors.New(bad[0].Message), Hint: bad[0].Fix}
	}
	cur, err := joined(ctx, c, o.dryRun)
	if err != nil {
		return err
	}
	lacked := func() error { return mission.Reported(ctx, c.World.Getenv("ASSENT_MISSION"), o.Capability, o.Goal) }
	beginnings, err := task.Gap(cur, o.Lack)
	if err != nil && !errors.As(err, new(*task.Present)) && !o.dryRun {
		err = errors.Join(err, lacked())
	}
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
		next := "if it lacks something, propose a change of it"
		switch {
		case len(there.Worse) > 0 && there.Mended:
			next = "to have it improved, add --improve"
		case o.Improve && len(there.Worse) == 0:
			next = "no calls show that it does worse than another one: propose a change of it"
		}
		return console.Refused(how+"; "+next, "%s", err)
	case errors.Is(err, task.ErrAbsent):
		return console.Refused("leave out --improve", "%s", err)
	case errors.Is(err, task.ErrNoGaps):
		return console.Refused("propose a workflow with on: {gap: true}", "%s", err)
	case err != nil:
		return err
	}
	all, err := task.Workflows(cur)
	if err != nil {
		return err
	}
	g := gapJSON{Gap: gaps.Planned(o.Capability, o.Goal, 0)}
	g.Evidence = g.Evidence[:0]
	var e answers.Estimate
	if g.Answer, e, err = answers.Reported(ctx, cur, all, o.agent, g.Gap); err != nil {
		return err
	}
	if g.Answer.Status != answers.InForce && !o.dryRun {
		if err := lacked(); err != nil {
			return err
		}
	}
	if g.Answer.Status != answers.Nothing && !o.anyway && !o.Improve {
		return refuseGap(c, g)
	}
	if !c.JSON && g.Answer.Status != answers.Nothing {
		c.Complain("%s %s; %s", c.Style.Warn("note:"), console.OneLine(g.Answer.Sentence()), g.Answer.Next)
	}
	for _, b := range beginnings {
		b.DryRun = o.dryRun
		err := beginRun(ctx, c, cur, b, o.agent, func(v *workJSON) {
			if len(e.Workflows) > 0 { // a repair has none
				v.Estimate = &e
			}
			if g.Answer.Status == answers.Rejected {
				v.Rejected = &g.Answer
			}
		})
		if err != nil {
			return err
		}
	}
	if !c.JSON && len(e.Workflows) > 0 {
		c.Field("estimate", estimateText(e))
	}
	return nil
}

// refuseGap answers a gap that something serves already.
func refuseGap(c *console.Console, g gapJSON) error {
	if c.JSON {
		return cmp.Or(c.Emit(g), console.Quiet(console.ExitRefused))
	}
	if g.Answer.Run != "" {
		return console.Refused(g.Answer.Next, "%s", &task.Open{ID: g.Answer.Run, Subject: g.Name})
	}
	next := g.Answer.Next
	if g.Answer.Status != answers.Rejected { // that names it
		next += "; if that will not do, begin all the same: --anyway"
	}
	return console.Refused(next, "nothing was started: %s", console.OneLine(g.Answer.Sentence()))
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
