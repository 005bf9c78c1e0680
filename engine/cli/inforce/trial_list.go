package inforce

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

type trialListOptions struct {
	agent, model, mission, tag, outcome, source, level, since string
	limit                                                     int
}

func newTrialList(c *console.Console) *cobra.Command {
	var o trialListOptions
	cmd := &cobra.Command{
		Use:   "list [NAME]",
		Short: "List records of uses, the newest first",
		Long: `List shows the records of uses in the journals of all installations that this clone
knows, the newest day first. Flags and NAME leave out what does not match.`,
		Example: `  assent trial list --limit 5
  assent trial list csv-tables --outcome failure --since 7d --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runTrialList(cmd.Context(), c, o, strings.Join(args, ""))
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.agent, "agent", "", "only those of this `AGENT`")
	complete.Flag(cmd, "agent", complete.Agents(c))
	f.StringVar(&o.model, "model", "", "only those with this `MODEL`")
	f.StringVar(&o.mission, "mission", "", "only those of this `MISSION`")
	f.StringVar(&o.tag, "tag", "", "only those with this `TAG`")
	f.StringVar(&o.outcome, "outcome", "", "only these: "+console.Words(trial.Outcomes()))
	f.StringVar(&o.source, "source", "", "only these: "+console.Words(trial.Sources()))
	f.StringVar(&o.level, "level", "", "only these: "+console.Words(listedLevels()))
	f.StringVar(&o.since, "since", "", "only those of the last `TIME`, such as 30d or 12h, or since a day")
	f.IntVar(&o.limit, "limit", 50, "at most `N`")
	return cmd
}

// listedLevels are those of records that are no verdicts.
func listedLevels() []trial.Level {
	return append(append(trial.Levels(), trial.Evidence()...), trial.Judged)
}

// trialListJSON is the answer of assent trial list.
type trialListJSON struct {
	Trials   []triallog.Kept `json:"trials"`
	Problems []string        `json:"problems"`
}

func runTrialList(ctx context.Context, c *console.Console, o trialListOptions, name string) error {
	if o.limit < 1 {
		return console.Usage("--limit %d: ask for one or more", o.limit)
	}
	for _, word := range []struct {
		flag, value string
		known       []string
	}{{"outcome", o.outcome, texts(trial.Outcomes())}, {"source", o.source, texts(trial.Sources())}, {"level", o.level, texts(listedLevels())}} {
		if word.value != "" && !slices.Contains(word.known, word.value) {
			return console.Usage("--%s %q: one of %s", word.flag, word.value, strings.Join(word.known, ", "))
		}
	}
	cur, err := c.Current(ctx)
	if err != nil {
		return err
	}
	since, err := sinceOf(o.since, cur.Now())
	if err != nil {
		return err
	}
	out := trialListJSON{Trials: []triallog.Kept{}, Problems: []string{}}
	problems, err := trialsOf(cur).Visit(trial.DayOf(since), func(k triallog.Kept) bool {
		if o.wants(k, names.Fold(name), since) {
			out.Trials = append(out.Trials, k)
		}
		return len(out.Trials) < o.limit
	})
	if err != nil {
		return err
	}
	for _, p := range problems {
		out.Problems = append(out.Problems, p.Error())
	}
	if c.JSON {
		return c.Emit(out)
	}
	var rows [][]string
	for _, t := range out.Trials {
		rows = append(rows, []string{t.ID.Time().Format("2006-01-02 15:04"), string(t.Source), trialLine(t)})
	}
	if len(rows) == 0 {
		c.Printf("no trial fits\n")
	}
	c.Table(rows)
	complainTrials(c, problems)
	return nil
}

func texts[T ~string](list []T) []string {
	var out []string
	for _, word := range list {
		out = append(out, string(word))
	}
	return out
}

func (o trialListOptions) wants(k triallog.Kept, name string, since time.Time) bool {
	for _, f := range []struct{ want, is string }{
		{name, k.Capability}, {o.agent, k.Agent}, {o.model, k.Model}, {o.mission, k.Mission}, {o.outcome, string(k.Outcome)}, {o.source, string(k.Source)}, {o.level, string(k.Level)},
	} {
		if f.want != "" && f.want != f.is {
			return false
		}
	}
	return (o.tag == "" || slices.Contains(k.Tags, o.tag)) && !k.ID.Time().Before(since)
}

// sinceOf reads --since. Without it all of time counts.
func sinceOf(text string, now time.Time) (time.Time, error) { return instantOf("since", text, now) }

// instantOf reads a flag with a length of time before now, such as 30d or 12h, or a day; empty is zero.
func instantOf(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day, nil
	}
	if n, err := strconv.Atoi(strings.TrimSuffix(text, "d")); err == nil && strings.HasSuffix(text, "d") && n > 0 && n < 100_000 {
		return now.AddDate(0, 0, -n), nil
	}
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return now.Add(-d), nil
	}
	return time.Time{}, console.Usage("--%s %q: want a time such as 30d or 12h, or a day such as 2026-11-21", flag, text)
}

// complainTrials names journals that count for nothing.
func complainTrials(c *console.Console, problems []error) {
	for _, p := range problems {
		c.Complain("%s left out: %s", c.Style.Warn("warning:"), console.OneLine(p.Error()))
	}
}

func newTrialWriters(c *console.Console) *cobra.Command {
	return &cobra.Command{
		Use:   "writers",
		Short: "List the installations that recorded trials",
		Long: `Writers lists the journals of trials that this clone knows, with the name that
policies/retention.yaml gives each (trials.writers). Trials of named installations and of
this one count in full for ranking; those of others are bounded.`,
		Example: `  assent trial writers --json`,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runTrialWriters(cmd.Context(), c) },
	}
}

// writersJSON is the answer of assent trial writers.
type writersJSON struct {
	Writers  []writerJSON `json:"writers"`
	Problems []string     `json:"problems"`
}

type writerJSON struct {
	Writer trial.Writer `json:"writer"`
	// Name is that of the policies, "" for none; Own is set for this installation.
	Name   string `json:"name"`
	Own    bool   `json:"own"`
	Trials int64  `json:"trials"`
	Last   string `json:"last"`
}

func runTrialWriters(ctx context.Context, c *console.Console) error {
	cur, err := c.Current(ctx)
	if err != nil {
		return err
	}
	var r triallog.Reading
	if err := trialsOf(cur).Refresh(&r); err != nil {
		return err
	}
	sums := map[trial.Writer]*writerJSON{}
	for w, counts := range r.Book.All() {
		if sums[w] == nil {
			sums[w] = &writerJSON{Writer: w, Own: w == r.Own, Name: writerName(cur, w)}
		}
		sums[w].Trials += counts.Trials()
		for k := range counts {
			sums[w].Last = max(sums[w].Last, k.Day.String())
		}
	}
	out := writersJSON{Writers: []writerJSON{}, Problems: []string{}}
	for _, w := range slices.Sorted(maps.Keys(sums)) {
		out.Writers = append(out.Writers, *sums[w])
	}
	for _, p := range r.Problems {
		out.Problems = append(out.Problems, p.Error())
	}
	if c.JSON {
		return c.Emit(out)
	}
	var rows [][]string
	for _, w := range out.Writers {
		name := w.Name
		if w.Own {
			name = strings.TrimSpace(name + " (this installation)")
		}
		rows = append(rows, []string{string(w.Writer), fmt.Sprint(w.Trials), w.Last, console.OneLine(name)})
	}
	if len(rows) == 0 {
		c.Printf("nothing was recorded\n")
	}
	c.Table(rows)
	complainTrials(c, r.Problems)
	return nil
}

// writerName is the name that the policies give an installation, "" for none.
func writerName(cur workspace.Session, w trial.Writer) string {
	listed := cur.Policies.Retention.Trials.Writers
	for _, name := range slices.Sorted(maps.Keys(listed)) {
		if listed[name] == w {
			return name
		}
	}
	return ""
}
