package runs

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/agents/transcript"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/home/ask"
	"github.com/assent-dev/assent/engine/registry/critic"
	"github.com/assent-dev/assent/engine/registry/gaps"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

type criticOptions struct {
	file, mission, line, goal, outcome, agent string
	timeout                                   time.Duration
	dryRun                                    bool
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
	f.StringVar(&o.line, "command", "", "ask this command `LINE`, instead of the rules")
	f.DurationVar(&o.timeout, "timeout", 5*time.Minute, "how long the command may take")
	f.StringVar(&o.goal, "goal", "", "what it was for, as `TEXT`")
	f.StringVar(&o.outcome, "outcome", "", "how a transcript ended: "+console.Words(trial.Outcomes()))
	complete.AgentFlag(cmd, c, &o.agent)
	f.BoolVar(&o.dryRun, "dry-run", false, "judge, but record nothing")
	return cmd
}

// criticJSON is the answer of assent critic.
type criticJSON struct {
	Mission string        `json:"mission,omitempty"`
	Outcome trial.Outcome `json:"outcome,omitempty"`
	// By is the program that judged, or rules.
	By     string       `json:"by"`
	DryRun bool         `json:"dry_run,omitempty"`
	Tools  []judgedJSON `json:"tool_effectiveness"`
	// Unknown are names in a transcript's calls of assent that are not in force.
	Unknown []string `json:"unknown"`
}

type judgedJSON struct {
	critic.Judgement
	Version string `json:"version,omitempty"`
	// Trial is the id of the record; absent in a dry run.
	Trial string `json:"trial,omitempty"`
}

// criticised is what is judged.
type criticised struct {
	cur workspace.Session
	critic.Question
	// records has the version and content that were used, by name.
	records map[string]trial.Observation
	unknown []string
}

func runCritic(ctx context.Context, c *console.Console, o criticOptions) error {
	if o.outcome != "" && !slices.Contains(trial.Outcomes(), trial.Outcome(o.outcome)) {
		return console.Usage("--outcome %q: one of %s", o.outcome, console.Words(trial.Outcomes()))
	}
	if o.mission != "" && o.outcome != "" {
		return console.Usage("--outcome is for a transcript: the mission has its own")
	}
	cur, err := c.Current(ctx)
	if err != nil {
		return err
	}
	w := criticised{cur: cur, Question: critic.Question{Task: critic.Instructions, Events: []critic.Event{}}, records: map[string]trial.Observation{}}
	if o.mission != "" {
		err = w.recorded(o.mission)
	}
	if err == nil && o.file != "" {
		err = w.read(c, o)
	}
	if err == nil {
		err = w.describe()
	}
	if err != nil {
		return err
	}
	w.Goal, w.Outcome = cmp.Or(o.goal, w.Goal), cmp.Or(trial.Outcome(o.outcome), w.Outcome)
	out := criticJSON{Mission: o.mission, Outcome: w.Outcome, By: trial.Rules, DryRun: o.dryRun, Tools: []judgedJSON{}, Unknown: console.NonNil(w.unknown)}
	judged := w.Judge()
	if o.line != "" && len(w.Tools) > 0 {
		if out.By, judged, err = w.ask(ctx, c, o); err != nil {
			return err
		}
	}
	if err := w.record(ctx, o, &out, judged); err != nil {
		return err
	}
	return printCritic(c, out)
}

// recorded adds the uses of a recorded mission.
func (w *criticised) recorded(id string) error {
	m, trials, err := triallog.MissionTrials(workspace.TrialsOf(w.cur), id)
	switch {
	case err != nil:
		return err
	case m.Begun.IsZero():
		return console.Refused("assent mission list", "no mission %s was recorded here in the last %d days", console.OneLine(id), triallog.MissionDays)
	case m.Outcome == trial.Open:
		return console.Refused("assent mission end "+names.ForShell(id)+" --outcome OUTCOME", "the mission %s has not ended", id)
	}
	w.Evidence = critic.Of(m, trials)
	for _, t := range trials {
		w.records[t.Capability] = t.Observation
	}
	return nil
}

// read reads a transcript or a result document. A mission's record already has the uses.
func (w *criticised) read(c *console.Console, o criticOptions) error {
	in, err := opened(c, o.file, "transcript")
	if err != nil {
		return err
	}
	defer in.Close()
	head, err := io.ReadAll(io.LimitReader(in, critic.MaxResult+1))
	if err != nil {
		return fmt.Errorf("%s: %w", o.file, err)
	}
	if len(head) <= critic.MaxResult && critic.IsResult(head) {
		return w.result(head, o)
	}
	read, err := transcript.Read(bufio.NewReader(io.MultiReader(bytes.NewReader(head), in)), func(e gaps.Event) { w.heard(e, o.mission == "") })
	if err := transcriptFault(o.file, read, err); err != nil {
		return err
	}
	w.Events = critic.Ends(w.Events)
	return nil
}

// result adds the steps of an executed plan. Each names what is in force.
func (w *criticised) result(text []byte, o criticOptions) error {
	r, err := critic.ReadResult(text)
	if err != nil {
		return &console.Failure{Code: console.ExitFindings, Err: fmt.Errorf("%s: %w", o.file, err), Hint: "assent schema plan-result describes the form"}
	}
	w.Goal, w.Outcome = cmp.Or(w.Goal, r.Goal), cmp.Or(w.Outcome, r.Outcome)
	for i, s := range r.Steps {
		name, known, err := w.named(s.Tool)
		if err != nil {
			return err
		}
		if !known {
			return &console.Failure{Code: console.ExitFindings, Err: fmt.Errorf("%s: step %d uses %.80q, which is not in force", o.file, i+1, s.Tool), Hint: "assent list"}
		}
		if w.Events = append(w.Events, critic.Event{Tool: s.Tool, Args: s.Args, Result: s.Result, Failed: s.Outcome == trial.Failure}); o.mission == "" {
			w.Add(critic.Use{Name: name, Level: trial.Followed, Outcome: s.Outcome, Error: s.Error, Tokens: s.Tokens})
		}
	}
	w.Events = critic.Ends(w.Events)
	return nil
}

// heard adds an event of a transcript, and counts a call of what is in force.
func (w *criticised) heard(e gaps.Event, counts bool) {
	if e.Words != "" {
		w.Events = append(w.Events, critic.Event{Said: strings.ToValidUTF8(e.Words[:min(len(e.Words), maxSaid)], "")})
	}
	if len(w.Events) >= maxEvents {
		w.Events = slices.Clone(critic.Ends(w.Events[maxEvents/2:]))
	}
	if e.Call == nil {
		return
	}
	w.Events = append(w.Events, critic.Event{Tool: e.Call.Tool, Input: e.Call.Input, Output: e.Call.Output, Failed: e.Call.Failed})
	called, level := critic.Called(e.Call.Tool, e.Call.Input)
	if called == "" || !counts {
		return
	}
	name, known, err := w.named(called)
	if err != nil || !known {
		if strings.HasPrefix(e.Call.Tool, critic.Served) && len(called) <= maxName && !slices.Contains(w.unknown, called) && len(w.unknown) < maxUnknown {
			w.unknown = append(w.unknown, called)
		}
		return
	}
	u := critic.Use{Name: name, Level: level}
	switch {
	case e.Call.Failed:
		u.Outcome = trial.Failure
	case level == trial.Followed:
		u.Outcome = trial.Success
	}
	w.Add(u)
}

// Bounds of what is kept of a transcript: events, the bytes of what the agent said at once, and names.
const (
	maxEvents  = 400
	maxSaid    = 8 << 10
	maxUnknown = 50
)

// named finds the capability in force that a call names.
func (w *criticised) named(called string) (string, bool, error) {
	if len(called) > maxName {
		return "", false, nil
	}
	for _, name := range critic.Names(called) {
		known, err := w.cur.View.Named(name)
		if err != nil || len(known) > 0 {
			return names.Fold(name), err == nil, err
		}
	}
	return "", false, nil
}

// maxName bounds a name that is looked up, in bytes.
const maxName = 200

// describe adds what is in force of each tool, and its health.
func (w *criticised) describe() error {
	sick := workspace.HealthOf(w.cur)
	for _, t := range w.Tools {
		known, err := w.cur.View.Named(t.Name)
		if err != nil || len(known) == 0 {
			continue // what a mission used may be archived by now
		}
		is, _, err := capability.Glance(w.cur.View, known[0])
		if err != nil {
			return err
		}
		at, err := w.cur.View.Lookup(is.Path)
		if err != nil {
			return err
		}
		t.Description = is.Description
		if _, recorded := w.records[t.Name]; !recorded {
			w.records[t.Name] = trial.Observation{Version: is.Version, Blob: at.Hash.String()}
		}
		if h, err := sick.Read(t.Name); err == nil {
			t.Health = h.Entry(w.records[t.Name].Blob, w.records[t.Name].Version).State
		}
	}
	return nil
}

// ask asks the command.
func (w *criticised) ask(ctx context.Context, c *console.Console, o criticOptions) (string, []critic.Judgement, error) {
	words := strings.Fields(o.line)
	if len(words) == 0 {
		return "", nil, console.Usage("--command is empty")
	}
	by := path.Base(strings.ReplaceAll(words[0], `\`, "/"))
	if !trial.IsWord(by) {
		by = "command"
	}
	c.Progress("asking %s", console.OneLine(by))
	form := ask.Form{Instructions: critic.Instructions, Most: critic.MaxAnswer}
	answer, err := form.Command(o.line).Ask(ctx, o.timeout, w.Question)
	if err != nil {
		return by, nil, &console.Failure{Code: console.ExitWorld, Err: fmt.Errorf("nothing was recorded: ask %s: %w", by, err), Hint: "without --command, rules judge"}
	}
	judged, err := critic.Read(answer, w.Tools)
	if err != nil {
		return by, nil, &console.Failure{Code: console.ExitFindings, Err: fmt.Errorf("nothing was recorded: the answer of %s: %s", by, console.OneLine(err.Error())), Hint: "assent schema critique describes the answer"}
	}
	return by, judged, nil
}

// record keeps the judgements as trials.
func (w *criticised) record(ctx context.Context, o criticOptions, out *criticJSON, judged []critic.Judgement) error {
	var homes []string
	if dir, err := os.UserHomeDir(); err == nil {
		homes = append(homes, dir)
	}
	source := trial.Human
	switch {
	case o.line == "" && o.file == "":
		source = trial.Engine // rules on a record
	case o.agent != "":
		source = trial.Self
	}
	var all []trial.Observation
	for _, j := range judged {
		was := w.records[j.Tool]
		one := trial.Observation{
			At: w.cur.Now(), Source: source, Level: trial.Judged, Agent: o.agent, Mission: o.mission, Capability: j.Tool, Version: was.Version, Blob: was.Blob,
			Critic: &trial.Critique{Satisfaction: j.Satisfaction, By: out.By, Issues: j.Issues, Recommendations: j.Recommendations},
		}.Neat().Summarised(w.cur.Policies.Retention.Trials.NoSummaries, homes...)
		if err := one.Check(); err != nil {
			return console.Usage("%w", err)
		}
		all = append(all, one)
		j.Issues, j.Recommendations = console.NonNil(one.Critic.Issues), console.NonNil(one.Critic.Recommendations)
		out.Tools = append(out.Tools, judgedJSON{Judgement: j, Version: string(was.Version)})
	}
	if o.dryRun || len(all) == 0 {
		return nil
	}
	recorded, err := workspace.TrialsOf(w.cur).Record(ctx, all...)
	for i, t := range recorded {
		out.Tools[i].Trial = t.ID.String()
	}
	return err
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
	return &console.Failure{
		Code: console.ExitFindings, Err: errors.New("nothing can be judged: no capability in force was used, or no outcome is known"),
		Hint: "--outcome says how a transcript ended",
	}
}
