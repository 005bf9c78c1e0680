package runs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/agents/critique"
	"github.com/assent-dev/assent/engine/agents/mission"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

type criticOptions struct {
	file, mission string
	critique.Options
}

func newCritic(c *console.Console) *cobra.Command {
	var o criticOptions
	cmd := &cobra.Command{
		Use:   "critic [FILE|-]",
		Short: "Judge how capabilities did in a finished mission or an executed plan",
		Long: `Critic rates how well each capability did, from 0 to 1, with issues and
recommendations. It looks at a mission that was recorded and has ended (--mission), at a
transcript of Claude Code or Codex, or at the result of a plan (assent schema
plan-result), from FILE or from standard input. With both, the mission's record has the
uses, and a command reads the transcript, too.

Without --command it judges by rules: by the share of successes, the outcome of the whole,
calls that were repeated, and health. With --command, it sends that command a question as JSON on
standard input, an answer on standard output (assent schema critique). An answer that is
not of this form, or about other capabilities, is refused as a whole.

The judgements are recorded as trials with the level critic. They rank in find and link,
with little weight, and decide nothing.`,
		Example: `  assent critic --mission m-17
  assent critic session.jsonl --outcome success --agent scout --command "claude -p"
  my-runner plan.json | assent critic --json --dry-run`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.file = strings.Join(args, ""); o.file == "" && o.mission == "" {
				o.file = "-"
			}
			return runCritic(cmd.Context(), c, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.mission, "mission", "", "the `ID` of a mission that has ended")
	f.StringVar(&o.Command, "command", "", "ask this command `LINE`, instead of the rules")
	f.DurationVar(&o.Timeout, "timeout", 5*time.Minute, "how long the command may take")
	f.StringVar(&o.Goal, "goal", "", "what it was for, as `TEXT`")
	f.StringVar((*string)(&o.Outcome), "outcome", "", "how a transcript ended: "+console.Words(trial.Outcomes()))
	complete.AgentFlag(cmd, c, &o.Agent)
	f.BoolVar(&o.DryRun, "dry-run", false, "judge, but record nothing")
	return cmd
}

// criticJSON is the answer of assent critic.
type criticJSON struct {
	Mission string `json:"mission,omitempty"`
	critique.Critique
	DryRun bool `json:"dry_run,omitempty"`
	// Unknown are names in a transcript's calls of assent that are not in force.
	Unknown []string `json:"unknown"`
}

func runCritic(ctx context.Context, c *console.Console, o criticOptions) error {
	switch {
	case o.Outcome != "" && !slices.Contains(trial.Outcomes(), o.Outcome):
		return console.Usage("--outcome %q: one of %s", o.Outcome, console.Words(trial.Outcomes()))
	case o.mission != "" && o.Outcome != "":
		return console.Usage("--outcome is for a transcript: the mission has its own")
	case o.Command != "" && strings.TrimSpace(o.Command) == "":
		return console.Usage("--command is empty")
	}
	cur, err := c.Current(ctx)
	if err != nil {
		return err
	}
	judged, err := critique.Open(cur, o.mission)
	if err == nil && o.file != "" {
		err = readHappened(ctx, c, judged, o.file)
	}
	out := criticJSON{Mission: o.mission, DryRun: o.DryRun}
	if err == nil {
		o.Asking = func(program string) { c.Progress("asking %s", console.OneLine(program)) }
		out.Critique, err = judged.Judge(ctx, o.Options)
	}
	if err != nil {
		return criticFault(unused(o.mission, cur.ID(), err))
	}
	out.Unknown = console.NonNil(judged.Unknown)
	return printCritic(c, out)
}

// readHappened reads a transcript or a result document.
func readHappened(ctx context.Context, c *console.Console, judged *critique.Case, file string) error {
	in, err := opened(ctx, c, file, "transcript")
	if err != nil {
		return err
	}
	defer in.Close()
	read, err := judged.Read(in)
	if read != nil {
		return transcriptFault(file, *read, err)
	}
	if fault := new(critique.Fault); errors.As(err, &fault) {
		fault.Err = fmt.Errorf("%s: %w", file, fault.Err)
	}
	return err
}

// unused explains why a mission of assent mission run has no record.
func unused(id, workspace string, err error) error {
	fault := new(critique.Fault)
	if dir, home := keys.Home(); home == nil && trial.CheckMission(id) == nil && errors.As(err, &fault) && fault.Kind == critique.NotEnded {
		s, none := mission.In(dir).Read(id)
		if none == nil && s.Steps[0].Workspace == workspace && s.Phase() == mission.Over {
			return &critique.Fault{Kind: critique.NotEnded, Err: fmt.Errorf("the mission %s used no capability that could be judged in the last %d days", id, triallog.MissionDays), Fix: "assent mission show " + names.ShellWord(id)}
		}
	}
	return err
}

// criticFault gives a fault its exit code.
func criticFault(err error) error {
	fault := new(critique.Fault)
	if !errors.As(err, &fault) {
		return err
	}
	code := map[critique.Kind]int{
		critique.NotEnded: console.ExitRefused, critique.Invalid: console.ExitFindings,
		critique.NoAnswer: console.ExitWorld, critique.NoRecord: console.ExitUsage,
	}[fault.Kind]
	return &console.Failure{Code: code, Err: err, Hint: fault.Fix}
}

func printCritic(c *console.Console, out criticJSON) error {
	if c.JSON {
		if err := c.Emit(out); err != nil {
			return err
		}
	} else {
		for _, t := range out.Tools {
			c.Printf("%.2f  %s\n", t.Satisfaction, c.Style.Bold(console.OneLine(t.Tool)))
			for _, text := range t.Issues {
				c.Field("issue", console.OneLine(text))
			}
			for _, text := range t.Recommendations {
				c.Field("advice", console.OneLine(text))
			}
		}
		if out.DryRun && len(out.Tools) > 0 {
			c.Printf("%s\n", c.Style.Warn("dry run: nothing is recorded"))
		}
	}
	if len(out.Tools) > 0 {
		return nil
	}
	hint := "--outcome says how a transcript ended"
	if out.Mission != "" {
		hint = "assent mission show " + names.ShellWord(out.Mission)
	}
	return &console.Failure{
		Code: console.ExitFindings, Err: errors.New("nothing can be judged: no capability in force was used, or no outcome is known"),
		Hint: hint,
	}
}
