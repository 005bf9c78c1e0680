package inforce

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/registry/link"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/tools/linker"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

func newMission(c *console.Console, run *cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mission",
		Short: "Link a mission, record what it uses, and how it ended",
		Args:  cobra.NoArgs,
	}
	cmd.AddCommand(run, newMissionStart(c), newMissionStep(c), newMissionEnd(c), newMissionShow(c), newMissionList(c))
	return cmd
}

type missionStartOptions struct {
	linkOptions
	dryRun bool
}

func newMissionStart(c *console.Console) *cobra.Command {
	var o missionStartOptions
	cmd := &cobra.Command{
		Use:   "start MISSION",
		Short: "Link a mission and begin its record",
		Long: `Start chooses capabilities for a mission as assent link does, and records a trial for each
that the agent sees: that it was listed in the prompt, in which version, and for which
steps. It prints the mission's id. Calls with this id in $ASSENT_MISSION count for the
mission, as do those by assent mission step. MISSION may be "-" for standard input.`,
		Example: `  assent mission start "clean the contacts table, then send a summary by email" --agent scout
  assent mission start - --id m-17 --json < mission.txt`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runMissionStart(cmd, c, o, args) },
	}
	o.flags(cmd, c)
	cmd.Flags().StringVar(&o.id, "id", "", "the mission's `ID` (default: a new one)")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "show the link, but record and write nothing")
	return cmd
}

// startedJSON is the answer of assent mission start.
type startedJSON struct {
	Mission string `json:"mission"`
	DryRun  bool   `json:"dry_run,omitempty"`
	// Recorded is how many capabilities the mission was given.
	Recorded int `json:"recorded"`
	linkJSON
}

func runMissionStart(cmd *cobra.Command, c *console.Console, o missionStartOptions, args []string) error {
	ctx := cmd.Context()
	given := o.id != ""
	if !given {
		o.id = "m-" + strings.ToLower(rand.Text()[:10])
	}
	q, _, err := o.question(ctx, c, cmd, args)
	if err != nil {
		return err
	}
	b, err := newObserver(ctx, c, o.agent)
	if err != nil {
		return err
	}
	if given {
		if err := unused(b, o.id); err != nil {
			return err
		}
	}
	o.preflight = o.preflight && !o.dryRun
	answer, here, ran, err := o.link(ctx, c, b.cur, q)
	if err != nil {
		return err
	}
	all, err := b.links(o.id, q, answer)
	if err != nil {
		return err
	}
	if !o.dryRun {
		if err := o.writeLock(ctx, answer.Lock); err != nil {
			return err
		}
	}
	if _, err := b.record(ctx, all, o.dryRun); err != nil {
		return err
	}
	view, err := linkView(ctx, c, here, answer, q)
	view.Preflight = ran
	if err != nil {
		return err
	}
	out := startedJSON{o.id, o.dryRun, len(all), view}
	if c.JSON {
		return c.Emit(out)
	}
	printStarted(c, out)
	return nil
}

// unused returns an error if a mission has the id.
func unused(b observer, id string) error {
	m, err := triallog.Mission(b.log, id)
	if err == nil && !m.Begun.IsZero() {
		err = console.Refused("assent mission show "+names.ForShell(id), "the mission %s has a record already", id)
	}
	return err
}

func printStarted(c *console.Console, out startedJSON) {
	switch id := c.Style.Bold(out.Mission); {
	case out.DryRun:
		c.Printf("would begin a mission with %s\n\n", console.Plural(out.Recorded, "record"))
	case out.Recorded == 0:
		c.Printf("mission %s: nothing is linked, and its record begins with its first use\n\n", id)
	default:
		c.Printf("mission %s\n\n", id)
	}
	printLink(c, out.linkJSON, false)
	if !out.DryRun {
		c.Progress("export ASSENT_MISSION=%s, and end it with assent mission end %[1]s --outcome OUTCOME: %s", names.ShellWord(out.Mission), console.Words(trial.Outcomes()))
	}
}

// links are the records of what a mission was linked with. What is only required is not among it:
// the agent does not see it.
func (b observer) links(id string, q link.Question, a linker.Answer) (out []trial.Observation, err error) {
	for _, l := range a.Linked {
		if !l.Visible {
			continue
		}
		var steps []string
		for _, n := range l.Steps {
			steps = append(steps, a.Steps[n-1])
		}
		o, err := b.neat(trial.Observation{
			Mission: id, Agent: q.Agent, Model: q.Model, Task: q.Mission, Tags: a.Context[:min(len(a.Context), trial.MaxTags)],
			Level: trial.Listed, Tokens: int64(l.Listed), Capability: l.Name, Version: l.Version, Blob: l.Blob, InputSummary: strings.Join(steps, "; "),
		})
		if err != nil {
			return nil, console.Usage("%w", err)
		}
		out = append(out, trial.LinkOf(o))
	}
	return out, nil
}

func newMissionStep(c *console.Console) *cobra.Command {
	var o trialRecordOptions
	cmd := &cobra.Command{
		Use:   "step ID NAME…",
		Short: "Record what a mission used",
		Long: `Step records a use of each capability for a mission, like assent trial record. Model and
context are those of the mission's link unless they are given. Calls by assent run-tool
and assent mcp are recorded without it.`,
		Example: `  assent mission step m-17 clean-a-csv --agent scout
  assent mission step m-17 parse-csv --outcome failure --error invalid_output --agent scout`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runMissionStep(cmd.Context(), c, o, args[0], args[1:])
		},
	}
	o.flags(cmd, c)
	return cmd
}

func runMissionStep(ctx context.Context, c *console.Console, o trialRecordOptions, id string, called []string) error {
	tags, err := contextTags(o.tags)
	if err != nil {
		return err
	}
	b, err := newObserver(ctx, c, o.agent)
	if err != nil {
		return err
	}
	m, err := triallog.Mission(b.log, id)
	if err != nil {
		return err
	}
	if m.Outcome != trial.Open {
		return console.Refused("assent trial record NAME --mission "+names.ForShell(id)+" records a use all the same", "%w", &trial.EndedError{Mission: m})
	}
	use := o.use(tags)
	if use.Mission = id; use.Model == "" {
		use.Model = m.Model
	}
	if len(use.Tags) == 0 {
		use.Tags = m.Tags
	}
	all, err := b.uses(use, called...)
	if err != nil {
		return err
	}
	return b.keep(ctx, c, all, o.dryRun)
}

func newMissionEnd(c *console.Console) *cobra.Command {
	var o trialRecordOptions
	cmd := &cobra.Command{
		Use:   "end ID --outcome OUTCOME",
		Short: "Record how a mission ended",
		Long: `End records the outcome of a mission for each capability that it was linked with or used:
a success of a call counts no longer, and the outcome counts once. Failures of calls
remain. With --agent it is the agent's claim: its successes rank, but support no decision.

It also ends a mission of assent mission run that no process carries through now, and names the
runs that it leaves active.

A success can be taken back by another outcome; other outcomes remain.`,
		Example: `  assent mission end m-17 --outcome success --agent scout
  assent mission end m-17 --outcome failure --diagnosis "the numbers were wrong"`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(trial.Outcomes(), trial.Outcome(o.outcome)) {
				return console.Usage("--outcome %q: one of %s", o.outcome, console.Words(trial.Outcomes()))
			}
			o.Mission = args[0]
			return runMissionEnd(cmd.Context(), c, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.outcome, "outcome", "", "how it ended: "+console.Words(trial.Outcomes()))
	complete.AgentFlag(cmd, c, &o.agent)
	f.StringVar(&o.Error, "error", "", "the class of the error, such as timeout")
	f.StringVar(&o.Diagnosis, "diagnosis", "", "what went wrong, in at most 200 characters")
	f.BoolVar(&o.dryRun, "dry-run", false, "show what would be recorded, but record nothing")
	return cmd
}
