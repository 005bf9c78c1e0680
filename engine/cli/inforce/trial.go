package inforce

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

func newTrial(c *console.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "trial",
		Short: "Record how capabilities did, list such records, and erase names and texts",
		Args:  cobra.NoArgs,
	}
	cmd.AddCommand(newTrialRecord(c), newTrialList(c), newTrialWriters(c), newTrialErase(c), newTrialExport(c))
	return cmd
}

type trialRecordOptions struct {
	trial.Observation
	agent, tags, level, outcome string
	took                        time.Duration
	dryRun                      bool
}

func newTrialRecord(c *console.Console) *cobra.Command {
	var o trialRecordOptions
	cmd := &cobra.Command{
		Use:   "record [NAME | -]",
		Short: "Record one use of a capability, or a mission's verdict",
		Long: `Record keeps one use of a capability in force: how far it went (listed in a prompt,
loaded, or followed) and what came of it. Calls by assent run-tool are recorded without it.

Without NAME it is the verdict on a mission: it counts for every capability that was
loaded or followed in the mission here, in place of its successes.

With - it reads uses and verdicts as JSON lines from standard input (docs/formats.md). A
line with a mission and an outcome, but no capability, is the verdict on that mission. at is
at most a day ago: a use counts on the day on which it is recorded. A line that cannot be
recorded is named, and the others are kept. Without --json it prints the id of each trial
as soon as it is safe.`,
		Example: `  assent trial record csv-tables --outcome success --mission m-17 --agent kublai --model large
  assent trial record csv-tables --level listed --tokens 85
  assent trial record --mission m-17 --outcome failure --diagnosis "the numbers were wrong"
  assent trial record - < uses.jsonl`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := ""
			if len(args) > 0 {
				name = args[0]
			}
			if name == "-" {
				return runTrialStream(cmd.Context(), c, o)
			}
			return runTrialRecord(cmd.Context(), c, o, name)
		},
	}
	o.flags(cmd, c)
	cmd.Flags().StringVar(&o.Mission, "mission", c.World.Getenv("ASSENT_MISSION"), "the `MISSION` that it was for (default $ASSENT_MISSION)")
	return cmd
}

// flags are those of one use.
func (o *trialRecordOptions) flags(cmd *cobra.Command, c *console.Console) {
	f := cmd.Flags()
	f.StringVar(&o.outcome, "outcome", "", "what came of it: "+console.Words(trial.Outcomes()))
	f.StringVar(&o.level, "level", string(trial.Followed), "how far it went: "+console.Words(trial.Levels()))
	complete.AgentFlag(cmd, c, &o.agent)
	f.StringVar(&o.Model, "model", c.World.Getenv("ASSENT_MODEL"), "the `MODEL` that used it (default $ASSENT_MODEL)")
	f.StringVar(&o.Task, "task", "", "what it was for, in a few words")
	f.StringVar(&o.tags, "context", c.World.Getenv("ASSENT_CONTEXT"), "what it was for, as `TAGS` with commas between (default $ASSENT_CONTEXT)")
	f.DurationVar(&o.took, "took", 0, "how long it took, such as 1.5s")
	f.Float64Var(&o.Cost, "cost", 0, "what it cost, in the currency of the policies")
	f.Int64Var(&o.Tokens, "tokens", 0, "how many tokens it took")
	f.StringVar(&o.Error, "error", "", "the class of the error, such as timeout")
	f.StringVar(&o.Diagnosis, "diagnosis", "", "what went wrong, in at most 200 characters")
	f.StringVar(&o.InputSummary, "input-summary", "", "what it was given, in at most 200 characters")
	f.StringVar(&o.OutputSummary, "output-summary", "", "what it gave, in at most 200 characters")
	f.BoolVar(&o.dryRun, "dry-run", false, "show what would be recorded, but record nothing")
}

// use is the observation that the flags describe.
func (o trialRecordOptions) use(tags []string) trial.Observation {
	use := o.Observation
	use.Tags, use.Level, use.Outcome, use.MS = tags, trial.Level(o.level), trial.Outcome(o.outcome), o.took.Milliseconds()
	return use
}

// recordedJSON is the answer of assent trial record.
type recordedJSON struct {
	DryRun   bool            `json:"dry_run,omitempty"`
	Recorded int             `json:"recorded"`
	Trials   []triallog.Kept `json:"trials,omitempty"`
	Refused  []refusedLine   `json:"refused"`
	// Active are runs that a mission which was ended leaves.
	Active []string `json:"active_runs,omitempty"`
}

// observer turns callers' reports into observations of capabilities in force.
type observer struct {
	cur   workspace.Session
	log   triallog.Log
	homes []string
	agent string
	// known caches lookups, by the name that callers gave.
	known map[string]trial.Observation
}

func newObserver(ctx context.Context, c *console.Console, agent string) (observer, error) {
	cur, err := c.Current(ctx)
	if err != nil {
		return observer{}, err
	}
	var homes []string
	if dir, err := os.UserHomeDir(); err == nil {
		homes = append(homes, dir)
	}
	return observer{cur, trialsOf(cur), homes, agent, map[string]trial.Observation{}}, nil
}

// trialsOf are the trials of a workspace.
func trialsOf(cur workspace.Session) triallog.Log {
	return workspace.TrialsOf(cur)
}

// complete fills in fields from the workspace and the caller's name, and checks the result.
func (b observer) complete(o trial.Observation, called string) (trial.Observation, error) {
	is, ok := b.known[called]
	if !ok {
		var err error
		if is, err = b.lookup(called); err != nil {
			return o, err
		}
		b.known[called] = is
	}
	o.Capability, o.Version, o.Blob = is.Capability, is.Version, is.Blob
	if is.Method != "" {
		o.Method = is.Method
	}
	return b.neat(o)
}

// lookup finds the called capability in force, or server__method.
func (b observer) lookup(called string) (is trial.Observation, err error) {
	name, method := capability.SplitCall(called)
	f, err := console.CapabilityNamed(b.cur, name)
	if err != nil {
		return is, err
	}
	known, _, err := capability.Load(b.cur.View, f.Path)
	if err != nil {
		return is, err
	}
	at, err := b.cur.View.Lookup(f.Path)
	if err != nil {
		return is, err
	}
	return trial.Observation{Capability: known.Name, Version: known.Version, Blob: at.Hash.String(), Method: method}, nil
}

// longestAgo is how long before its record a use may have been.
const longestAgo = 24 * time.Hour

// neat is an observation as it is kept: by an agent about itself, or by a person.
func (b observer) neat(o trial.Observation) (trial.Observation, error) {
	if o.At.IsZero() {
		o.At = b.cur.Now()
	}
	if o.Agent == "" {
		o.Agent = b.agent
	}
	if o.Source = trial.Human; o.Agent != "" {
		o.Source = trial.Self
	}
	o = o.Neat().Summarised(b.cur.Policies.Retention.Trials.NoSummaries, b.homes...)
	if o.At.After(b.cur.Now().Add(time.Minute)) {
		return o, fmt.Errorf("at: %s is in the future", o.At.Format(time.RFC3339))
	}
	if o.At.Before(b.cur.Now().Add(-longestAgo)) { // every count and period goes by the day of the record
		return o, fmt.Errorf("at: %s is more than a day ago, and a use counts on the day on which it is recorded: leave at out to count it now", o.At.Format(time.RFC3339))
	}
	if o.Level != trial.Verdict && !o.Level.IsUse() { // only the engine records tests, and a person resets by assent health
		return o, fmt.Errorf("level: %.40q: want listed, loaded or followed", o.Level)
	}
	return o, o.Check()
}

func runTrialRecord(ctx context.Context, c *console.Console, o trialRecordOptions, name string) error {
	tags, err := contextTags(o.tags)
	if err != nil {
		return err
	}
	b, err := newObserver(ctx, c, o.agent)
	if err != nil {
		return err
	}
	use := o.use(tags)
	var all []trial.Observation
	if name == "" {
		all, err = b.verdicts(use)
	} else {
		all, err = b.uses(use, name)
	}
	if err != nil {
		return err
	}
	return b.keep(ctx, c, all, o.dryRun)
}

// uses completes the record of one use for each name.
func (b observer) uses(use trial.Observation, called ...string) (all []trial.Observation, err error) {
	for _, name := range called {
		o, err := b.complete(use, name)
		var f *console.Failure
		switch {
		case errors.As(err, &f):
			return nil, err
		case err != nil:
			return nil, console.Usage("%w", err)
		}
		all = append(all, o)
	}
	return all, nil
}

// keep records observations and shows them.
func (b observer) keep(ctx context.Context, c *console.Console, all []trial.Observation, dryRun bool) error {
	kept, err := b.record(ctx, all, dryRun)
	if err != nil {
		return err
	}
	if c.JSON {
		return c.Emit(recordedJSON{DryRun: dryRun, Recorded: len(all), Trials: kept, Refused: []refusedLine{}})
	}
	for _, t := range kept {
		what := "recorded"
		if dryRun {
			what = "would record"
		}
		c.Printf("%s %s\n", c.Style.Good(what), trialLine(t))
	}
	return nil
}

// record keeps observations, and with dryRun only returns them.
func (b observer) record(ctx context.Context, all []trial.Observation, dryRun bool) (kept []triallog.Kept, err error) {
	if dryRun {
		for _, use := range all {
			kept = append(kept, triallog.Kept{Trial: trial.Trial{V: trial.FormatVersion, Observation: use}})
		}
		return kept, nil
	}
	recorded, err := b.log.Record(ctx, all...)
	if err != nil {
		return nil, err
	}
	own, err := b.log.Own()
	for _, t := range recorded {
		kept = append(kept, triallog.Kept{Writer: own, Trial: t})
	}
	return kept, err
}

// verdicts are the verdict on a mission for each capability that it was linked with or used here.
func (b observer) verdicts(o trial.Observation) ([]trial.Observation, error) {
	if o.Mission == "" || o.Outcome == trial.Open {
		return nil, console.Usage("name a capability, or give --mission and --outcome for a verdict on all that was used in the mission")
	}
	m, err := triallog.Mission(b.log, o.Mission)
	if err != nil {
		return nil, err
	}
	return b.judge(m, o)
}

// judge are the verdict on a mission as it is recorded.
func (b observer) judge(m trial.Mission, o trial.Observation) ([]trial.Observation, error) {
	out, err := m.Verdicts(o)
	var ended *trial.EndedError
	switch {
	case errors.Is(err, trial.ErrUnused):
		return nil, console.Refused("assent trial list --mission "+names.ForShell(o.Mission)+" shows what is known", "no capability was linked, loaded or followed for the mission %s here in the last %d days", o.Mission, triallog.MissionDays)
	case errors.As(err, &ended):
		return nil, console.Refused("only a success can be taken back; assent mission show "+names.ForShell(o.Mission), "%w", err)
	case err != nil:
		return nil, err
	}
	for i, v := range out {
		if out[i], err = b.neat(v); err != nil {
			return nil, console.Usage("%w", err)
		}
	}
	return out, nil
}

// trialLine is a trial on one line.
func trialLine(t triallog.Kept) string {
	name := t.Capability
	if t.Version != "" {
		name += " " + string(t.Version)
	}
	parts := []string{console.OneLine(name)}
	if t.Level == trial.Verdict {
		parts = append(parts, "verdict")
	} else {
		parts = append(parts, string(t.Level))
	}
	if t.Critic != nil {
		parts = append(parts, fmt.Sprintf("%.2f by %s", t.Critic.Satisfaction, console.OneLine(t.Critic.By)))
		parts = append(parts, console.OneLine(strings.Join(append(t.Critic.Issues, t.Critic.Recommendations...), "; ")))
	}
	for _, word := range []string{string(t.Outcome), t.Error, t.Agent, t.Model, t.Mission, strings.Join(t.Tags, ","), t.Diagnosis} {
		if word != "" {
			parts = append(parts, console.OneLine(word))
		}
	}
	return strings.Join(parts, "  ")
}
