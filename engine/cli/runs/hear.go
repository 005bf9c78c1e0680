package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/agents/transcript"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/registry/gaps"
	"github.com/assent-dev/assent/engine/tools/answers"
	"github.com/assent-dev/assent/engine/tools/discover"
)

func newHear(c *console.Console) *cobra.Command {
	var agent string
	cmd := &cobra.Command{
		Use:   "hear [FILE|-]",
		Short: "Find in an agent's transcript what it lacked",
		Long: `Hear reads the transcript of a session and lists the gaps in it: capabilities that the agent
lacked. It reads transcripts of Claude Code and Codex, the JSON that clients send to hooks,
and plain text, from FILE or from standard input.

A gap is heard in the agent's own words ("I would need an MCP for Jira"), in more than three
failures of one category without a success in between, and by the patterns of
policies/gaps.yaml. Words that the agent quotes, results of its calls and what a person
wrote are not heard. English only.

Each gap has a type, a name, a purpose, and the places where it was heard. A damaged line is
named and skipped.

Each gap is answered by what serves it already: a capability in force, an open proposal or
run, an archived capability, or the reason for which the same was rejected. If nothing does,
the answer estimates cost and benefit, and has the command that reports the gap. Hear
itself starts nothing.`,
		Example: `  assent hear ~/.claude/projects/-home-ana-shop/1f0c.jsonl
  codex exec --json "fix the build" | assent hear --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runHear(cmd.Context(), c, cmp.Or(strings.Join(args, ""), "-"), agent)
		},
	}
	complete.AgentFlag(cmd, c, &agent)
	return cmd
}

// heardJSON is the answer of assent hear.
type heardJSON struct {
	Transcript transcript.Summary `json:"transcript"`
	Gaps       []gapJSON          `json:"gaps"`
	// Dropped counts gaps beyond the first hundred.
	Dropped int `json:"dropped,omitempty"`
}

type gapJSON struct {
	gaps.Gap
	Answer answers.Answer `json:"answer"`
	// Estimate is of a gap that nothing serves.
	Estimate *answers.Estimate `json:"estimate,omitempty"`
}

func runHear(ctx context.Context, c *console.Console, file, agent string) error {
	cur, err := c.Current(ctx)
	if err != nil {
		return err
	}
	for _, d := range cur.PolicyDiags {
		if d.Pos.File == policy.GapsFile {
			c.Complain("%s %s", c.Style.Warn("warning:"), console.OneLine(d.String()))
		}
	}
	heard := gaps.New(cur.Policies.Gaps)
	read, err := readTranscript(ctx, c, file, heard.Hear)
	if err != nil {
		return err
	}
	out := heardJSON{Transcript: read, Gaps: []gapJSON{}, Dropped: heard.Dropped}
	if found := heard.Gaps(); len(found) > 0 {
		here, err := discover.Open(ctx, cur)
		if err != nil {
			return err
		}
		if out.Gaps, err = answered(ctx, here, found, agent); err != nil {
			return err
		}
	}
	if c.JSON {
		return c.Emit(out)
	}
	printHeard(c, out, file)
	return nil
}

// answered says what serves each gap.
func answered(ctx context.Context, here discover.Here, all []gaps.Gap, agent string) ([]gapJSON, error) {
	out, cur := []gapJSON{}, here.Session
	if len(all) == 0 {
		return out, nil
	}
	workflows, err := task.Workflows(cur)
	if err != nil {
		return nil, err
	}
	estimate, err := answers.Estimator(cur, workflows)
	if err != nil {
		return nil, err
	}
	finder := answers.New(here, agent)
	for _, g := range all {
		one := gapJSON{Gap: g}
		if one.Answer, err = finder.Answer(ctx, g); err != nil {
			return nil, err
		}
		if one.Answer.Status == answers.Nothing {
			e, err := estimate(g)
			if err != nil {
				return nil, err
			}
			one.Estimate, one.Answer.Next = &e, "assent propose --limitation "+names.ForShell(g.Purpose)+" --missing "+names.ShellWord(g.Name)
			if len(e.Workflows) > 0 {
				one.Answer.Next = gapCommand(g, workflows, agent)
			}
		}
		out = append(out, one)
	}
	return out, nil
}

// gapCommand reports a gap. What failed again and again is urgent, and what an agent is for chooses
// who builds it, where a workflow takes that.
func gapCommand(g gaps.Gap, workflows []workflow.Workflow, agent string) string {
	out := "assent gap " + names.ShellWord(g.Name) + " " + names.ForShell(g.Purpose)
	add := func(input, value string) {
		takes := func(in workflow.Input) bool { return in.Name == input && in.Fault(value) == "" }
		if value != "" && slices.ContainsFunc(workflows, func(w workflow.Workflow) bool { return w.On.Gap && slices.ContainsFunc(w.Inputs, takes) }) {
			out += " --" + strings.ReplaceAll(input, "_", "-") + " " + names.ForShell(value)
		}
	}
	if agent != "" {
		out += " --agent " + names.ShellWord(agent)
	}
	add("type", g.Specialization)
	add("api_hint", g.APIHint)
	if g.Failures > 0 {
		add("priority", "high")
	}
	return out
}

// readTranscript reads a file, or standard input if it is called "-".
func readTranscript(ctx context.Context, c *console.Console, file string, hear func(gaps.Event)) (transcript.Summary, error) {
	in, err := opened(ctx, c, file, "transcript")
	if err != nil {
		return transcript.Summary{}, err
	}
	defer in.Close()
	read, err := transcript.Read(in, hear)
	return read, transcriptFault(file, read, err)
}

// transcriptFault says why what was read is no transcript.
func transcriptFault(file string, read transcript.Summary, err error) error {
	switch {
	case errors.Is(err, transcript.ErrBinary):
		return console.Usage("%s is no transcript: %v", file, err)
	case err != nil:
		return fmt.Errorf("%s: %w", file, err)
	case read.Form == "" && read.Unknown+read.DamagedLines > 0:
		return &console.Failure{
			Code: console.ExitUsage, Err: fmt.Errorf("%s is JSON of no known form: it has no line of Claude Code, of Codex or of a hook", file),
			Hint: "each line must be one JSON value, as the client writes it; for plain text, leave out the JSON",
		}
	case read.Form == "":
		return console.Usage("%s holds no messages: it is empty", file)
	}
	return nil
}

// opened opens a file, or standard input if it is called "-".
func opened(ctx context.Context, c *console.Console, file, what string) (io.ReadCloser, error) {
	if file == "-" {
		return console.Reading(ctx, c, console.Open(ctx, c, file), 0), nil
	}
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return nil, console.Unread("the "+what, err)
	case info.IsDir():
		return nil, console.Usage("read the %s: %s is a folder", what, file)
	}
	return console.Reading(ctx, c, console.Open(ctx, c, file), info.Size()), nil
}

func printHeard(c *console.Console, out heardJSON, file string) {
	t := out.Transcript
	for _, d := range t.Damaged {
		c.Complain("%s %s:%d is skipped: %s", c.Style.Warn("warning:"), console.OneLine(file), d.Line, console.OneLine(d.Why))
	}
	if more := t.DamagedLines - len(t.Damaged); more > 0 {
		c.Complain("%s %s more", c.Style.Warn("warning:"), console.Plural(more, "damaged line"))
	}
	if len(out.Gaps) == 0 {
		c.Printf("no gap is heard in %s and %s\n", console.Plural(t.Messages, "message"), console.Plural(t.Calls, "call"))
		return
	}
	for i, g := range out.Gaps {
		if i > 0 {
			c.Printf("\n")
		}
		printGap(c, g, file, heardTimes(g.Gap))
	}
	if out.Dropped > 0 {
		c.Complain("%s %s more", c.Style.Warn("warning:"), console.Plural(out.Dropped, "gap"))
	}
}

// printGap prints a gap with its places in a file and its answer.
func printGap(c *console.Console, g gapJSON, file, times string) {
	c.Printf("%s %s (%s)\n", g.Type, c.Style.Bold(g.Name), times)
	c.Field("purpose", console.OneLine(g.Purpose))
	if g.APIHint != "" {
		c.Field("api hint", console.OneLine(g.APIHint))
	}
	for _, e := range g.Evidence {
		c.Printf("  %s %s\n", c.Style.Dim(fmt.Sprintf("%s:%d", console.OneLine(file), e.Line)), console.OneLine(e.Words))
	}
	c.Field("answer", console.OneLine(g.Answer.Sentence()))
	if g.Estimate != nil {
		c.Field("estimate", estimateText(*g.Estimate))
	}
	c.Field("next", console.OneLine(g.Answer.Next))
}

func heardTimes(g gaps.Gap) string {
	if g.Failures > 0 {
		return console.Plural(g.Failures, "failed call")
	}
	return "heard " + console.Plural(g.Times, "time")
}

func estimateText(e answers.Estimate) string {
	text := console.Plural(e.Tasks, "task") + " for people and agents"
	if e.Hours != nil {
		text += fmt.Sprintf("; %d of %d earlier runs completed, in %s at the median", e.Brought, e.Earlier, output.Lasted(int64(*e.Hours*float64(time.Hour/time.Millisecond))))
	}
	if e.Tokens != nil {
		text += fmt.Sprintf("; %d tokens of each prompt that lists it", *e.Tokens)
	}
	return text + fmt.Sprintf("; %d more may be made by agents", e.Places)
}
