package runs

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/plan"
	"github.com/assent-dev/assent/engine/tools/answers"
	"github.com/assent-dev/assent/engine/tools/discover"
	"github.com/assent-dev/assent/engine/tools/machine"
)

func newPlan(c *console.Console) *cobra.Command {
	cmd := &cobra.Command{Use: "plan", Short: "Check an agent's plan before it is carried out"}
	cmd.AddCommand(newPlanCheck(c))
	return cmd
}

func newPlanCheck(c *console.Console) *cobra.Command {
	var agent string
	cmd := &cobra.Command{
		Use:   "check [FILE|-]",
		Short: "Check that a plan uses only what is in force",
		Long: `Check reads a plan, one JSON object, from FILE or from standard input:

  {"goal": "TEXT", "steps": [{"tool": "parse_csv", "args": {"text": "a,b"}}]}

or, where a capability is missing, without steps:

  {"goal": "TEXT", "requires_new_skill": true, "missing_capability": "fax",
   "reason": "nothing in force sends letters"}

The plan is ready if each step names a capability in force that the agent can use now, with
args that fit its schema. A skill or sub-agent is read and takes no args. Of a server's
tools, only the server is checked.

If a capability is missing, the answer has no steps. It says what is missing and why, and
what serves it already, as assent hear does. Check starts nothing. It ends with 0 if the
plan is ready, else with 1.`,
		Example: `  assent plan check plan.json --agent scout
  my-planner "send the report" | assent plan check --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runPlanCheck(cmd.Context(), c, cmp.Or(strings.Join(args, ""), "-"), agent)
		},
	}
	complete.AgentFlag(cmd, c, &agent)
	return cmd
}

// The values of planJSON.Status.
const (
	planReady   = "ready"
	planGap     = "requires_new_skill"
	planInvalid = "invalid"
)

// planJSON is the answer of assent plan check.
type planJSON struct {
	Goal string `json:"goal"`
	// Status says whether the plan can be carried out, lacks a capability, or has to be corrected.
	Status string `json:"final_status"`
	// Steps are those of a plan that is ready; otherwise none may be carried out.
	Steps            []plan.Step `json:"steps"`
	RequiresNewSkill bool        `json:"requires_new_skill"`
	// Missing and Reason are of the first gap that nothing in force serves.
	Missing     string    `json:"missing_capability,omitempty"`
	Reason      string    `json:"reason,omitempty"`
	Gaps        []gapJSON `json:"gaps"`
	Diagnostics diag.List `json:"diagnostics"`
}

func runPlanCheck(ctx context.Context, c *console.Console, file, agent string) error {
	cur, err := c.Current(ctx)
	if err != nil {
		return err
	}
	if err := console.CheckAgent(cur, agent); err != nil {
		return err
	}
	in, err := opened(ctx, c, file, "plan")
	if err != nil {
		return err
	}
	defer in.Close()
	src, err := io.ReadAll(io.LimitReader(in, plan.MaxBytes+1))
	if err != nil {
		return fmt.Errorf("read the plan %s: %w", file, err)
	}
	p, found := plan.Parse(file, src)
	out := planJSON{Goal: p.Goal, Status: planInvalid, Steps: []plan.Step{}, Gaps: []gapJSON{}, Diagnostics: console.NonNil(found)}
	if !found.HasErrors() {
		here, err := discover.Open(ctx, cur)
		if err != nil {
			return err
		}
		engine, err := machine.Engine(cur, machine.Caller{Agent: agent, Getenv: c.World.Getenv})
		if err != nil {
			return err
		}
		more, lacks, err := answers.Steps(here, engine, p)
		if err != nil {
			return err
		}
		out.Diagnostics.Add(more...)
		if out.Gaps, err = answered(ctx, here, lacks, agent); err != nil {
			return err
		}
		out.conclude(p)
	}
	if c.JSON {
		err = c.Emit(out)
	} else {
		printPlanCheck(c, out, file)
	}
	if err == nil && out.Status != planReady {
		err = console.Quiet(console.ExitFindings)
	}
	return err
}

// conclude gives a plan that could be read its status.
func (out *planJSON) conclude(p plan.Plan) {
	for _, g := range out.Gaps {
		if g.Answer.Status == answers.InForce && !p.RequiresNewSkill { // a step can use that instead
			continue
		}
		out.Status, out.RequiresNewSkill = planGap, true
		out.Missing, out.Reason = g.Evidence[0].Words, cmp.Or(p.Reason, g.Answer.Sentence())
		return
	}
	if !out.Diagnostics.HasErrors() {
		out.Status, out.Steps = planReady, p.Steps
	}
}

func printPlanCheck(c *console.Console, out planJSON, file string) {
	switch out.Status {
	case planReady:
		c.Printf("%s: %s, %s\n", console.OneLine(file), c.Style.Good("ready"), console.Plural(len(out.Steps), "step"))
	case planGap:
		c.Printf("%s: a new capability is required: %s\n", console.OneLine(file), c.Style.Bold(console.OneLine(out.Missing)))
		c.Field("reason", console.OneLine(out.Reason))
	default:
		c.Printf("%s: %s\n", console.OneLine(file), c.Style.Bad("invalid"))
	}
	c.Diagnostics(c.World.Out, out.Diagnostics)
	for _, g := range out.Gaps {
		c.Printf("\n")
		printGap(c, g, file, console.Plural(g.Times, "time")+" in the plan")
	}
}
