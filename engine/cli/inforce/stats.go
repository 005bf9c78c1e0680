package inforce

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

type statsOptions struct {
	since, by string
	utility   bool
}

func newStats(c *console.Console) *cobra.Command {
	var o statsOptions
	cmd := &cobra.Command{
		Use:   "stats [NAME]",
		Short: "How capabilities did, by what was recorded of their use",
		Long: `Stats adds up the trials that this clone knows: how often each capability was listed in
a prompt, loaded and followed, how often it succeeded, and what it took. It names those
that are dead (listed and never loaded) and stuck (loaded and never followed, although
they have more to follow than a text), and what each success took in tokens.

A mission's verdict counts in place of the successes in that mission. With --by
tag a trial counts for each of its tags. Satisfaction is the mean of what critics said
(assent critic); with NAME their newest issues and recommendations are shown.

--utility compares missions with and without each capability (docs/trials.md), and shows
what assent gc goes by. It names tools and servers that are worth improving: their calls
show that they do worse than others that provide the same, or than their former version.`,
		Example: `  assent stats
  assent stats parse-csv --since 30d --by model,tag
  assent stats --by agent --json
  assent stats --utility`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runStats(cmd.Context(), c, o, strings.Join(args, ""))
		},
	}
	cmd.Flags().StringVar(&o.since, "since", "", "only trials of the last `TIME`, such as 30d, or since a day")
	cmd.Flags().StringVar(&o.by, "by", "", "tell apart by `WORDS`: "+console.Words(trial.Dimensions()))
	cmd.Flags().BoolVar(&o.utility, "utility", false, "instead: what each capability in force is worth for a mission, the lowest first")
	return cmd
}

// statsJSON is the answer of assent stats.
type statsJSON struct {
	// Since is the first day that counts, "" for all.
	Since    string      `json:"since"`
	Lines    []statsLine `json:"lines"`
	Dead     []string    `json:"dead"`
	Stuck    []string    `json:"stuck"`
	Problems []string    `json:"problems"`
	// Did is what known installations recorded about the one that was named.
	Did *triallog.Did `json:"did,omitempty"`
}

type statsLine struct {
	trial.Line
	// Rate is the share of successes, a partial one counting half; absent without outcomes.
	Rate *float64 `json:"rate,omitempty"`
	// InForce is false for a capability that is no longer in force.
	InForce bool `json:"in_force"`
}

func runStats(ctx context.Context, c *console.Console, o statsOptions, name string) error {
	by, err := trial.ParseDimensions(o.by)
	if err != nil {
		return console.Usage("--by: %w: use %s", err, console.Words(trial.Dimensions()))
	}
	cur, err := c.Current(ctx)
	if err != nil {
		return err
	}
	if o.utility {
		return runUtility(c, cur, o, name)
	}
	since, err := sinceOf(o.since, cur.Now())
	if err != nil {
		return err
	}
	var r triallog.Reading
	if err := trialsOf(cur).Refresh(&r); err != nil {
		return err
	}
	q := trial.Question{Name: names.Fold(name), By: by}
	if !since.IsZero() {
		q.Since = trial.DayOf(since)
	}
	out, err := statsOf(cur, &r, q)
	if err != nil {
		return err
	}
	if name != "" && len(out.Lines) == 0 {
		if _, err := console.CapabilityNamed(cur, name); err != nil {
			return err
		}
	}
	if name != "" {
		deeds, err := triallog.ReadDeeds(trialsOf(cur), cur.Policies.Retention.Trials.Writers, q.Since)
		if errors.Is(err, triallog.ErrDatabase) {
			r.Problems, out.Problems = append(r.Problems, err), append(out.Problems, err.Error())
		} else if err != nil {
			return err
		}
		did := deeds.Of(name, since)
		out.Did = &did
	}
	if c.JSON {
		return c.Emit(out)
	}
	printStats(c, out, len(by) > 0)
	if name != "" {
		if out.Did.Critics > 0 {
			output.PrintDid(c, *out.Did)
		}
		printDays(c, &r, q, cur.Now())
	}
	complainTrials(c, r.Problems)
	return nil
}

func statsOf(cur workspace.Session, r *triallog.Reading, q trial.Question) (statsJSON, error) {
	out := statsJSON{Lines: []statsLine{}, Dead: []string{}, Stuck: []string{}, Problems: []string{}}
	if q.Since != 0 {
		out.Since = q.Since.String()
	}
	for _, p := range r.Problems {
		out.Problems = append(out.Problems, p.Error())
	}
	folders := map[string]capability.Folder{}
	known, err := cur.Capabilities.Folders()
	if err != nil {
		return out, err
	}
	for _, f := range known {
		folders[names.Fold(f.Name)] = f
	}
	for _, l := range r.Book.Stats(q) {
		_, inForce := folders[l.Capability]
		line := statsLine{Line: l, InForce: inForce}
		if rate, ok := l.Rate(); ok {
			line.Rate = &rate
		}
		out.Lines = append(out.Lines, line)
	}
	for _, l := range r.Book.Stats(trial.Question{Name: q.Name, Since: q.Since}) {
		f, inForce := folders[l.Capability]
		if !inForce {
			continue
		}
		if l.Dead() {
			out.Dead = append(out.Dead, l.Capability)
		}
		if l.Stuck() {
			more, err := followable(cur, f)
			if err != nil {
				return out, err
			}
			if more {
				out.Stuck = append(out.Stuck, l.Capability)
			}
		}
	}
	return out, nil
}

// followable reports whether a capability has anything to follow beyond its text: code, scripts,
// references.
func followable(cur workspace.Session, f capability.Folder) (bool, error) {
	entries, err := cur.View.List(f.Path)
	if err != nil {
		return false, fmt.Errorf("list %s: %w", f.Path, err)
	}
	return slices.ContainsFunc(entries, func(e tree.Entry) bool {
		switch path.Base(e.Path) {
		case "SKILL.md", capability.RecordFile, "tests.yaml", "evals":
			return false
		}
		return true
	}), nil
}

func printStats(c *console.Console, out statsJSON, grouped bool) {
	if len(out.Lines) == 0 {
		c.Printf("nothing was recorded%s\n", sinceText(out.Since))
		c.Field("next", "assent run-tool and the missions of agents record uses: assent mission start --help")
		return
	}
	most := int64(1)
	for _, l := range out.Lines {
		most = max(most, l.Success+l.Failure+l.Partial)
	}
	head := []string{"CAPABILITY", "LISTED", "LOADED", "FOLLOWED", "SUCCESS", "TOKENS/SUCCESS", "COST", "SATISFACTION", "LAST"}
	if c.Terminal() {
		head = slices.Insert(head, 5, "")
	}
	rows := [][]string{head}
	for _, l := range out.Lines {
		name := c.Style.Bold(console.OneLine(l.Capability))
		if grouped {
			name += " " + console.OneLine(groupText(l.Group))
		}
		rate := "-"
		if l.Rate != nil {
			rate = fmt.Sprintf("%d of %d (%.0f %%)", l.Success, l.Success+l.Failure+l.Partial, 100**l.Rate)
		}
		tokens := "-"
		if l.TokensPerSuccess > 0 {
			tokens = fmt.Sprintf("%.0f", l.TokensPerSuccess)
		}
		satisfaction := "-"
		if l.Satisfaction != nil {
			satisfaction = fmt.Sprintf("%.2f of %d", *l.Satisfaction, l.Critics)
		}
		row := []string{name, fmt.Sprint(l.Listed), fmt.Sprint(l.Loaded), fmt.Sprint(l.Followed), rate, tokens, fmt.Sprintf("%.6g", l.Cost), satisfaction, cmp.Or(l.Last, "-")}
		if c.Terminal() {
			row = slices.Insert(row, 5, bar(c, l.Use, most))
		}
		rows = append(rows, row)
	}
	c.Table(rows)
	if len(out.Dead) > 0 {
		c.Printf("%s listed, and never loaded: %s\n", c.Style.Warn("dead:"), console.OneLine(strings.Join(out.Dead, ", ")))
	}
	if len(out.Stuck) > 0 {
		c.Printf("%s loaded, and never followed: %s\n", c.Style.Warn("stuck:"), console.OneLine(strings.Join(out.Stuck, ", ")))
	}
}

func sinceText(day string) string {
	if day == "" {
		return ""
	}
	return " since " + day
}

func groupText(g trial.Group) string {
	var parts []string
	for _, word := range []string{string(g.Version), g.Model, g.Tag, g.Agent, string(g.Source), g.Day} {
		if word != "" {
			parts = append(parts, word)
		}
	}
	if len(parts) == 0 {
		return "-"
	}
	return strings.Join(parts, " ")
}

// barWidth is the length of the longest bar.
const barWidth = 20

// bar draws successes, partial ones and failures side by side, in proportion to the line
// that has most of them.
func bar(c *console.Console, u trial.Use, most int64) string {
	cells := func(n int64) int {
		if n == 0 {
			return 0
		}
		return max(1, int(n*barWidth/most))
	}
	return c.Style.Good(strings.Repeat("█", cells(u.Success))) + c.Style.Warn(strings.Repeat("▒", cells(u.Partial))) + c.Style.Bad(strings.Repeat("░", cells(u.Failure)))
}

// chartDays is the number of days in the chart of one capability.
const chartDays = 60

// printDays draws the uses of each day, on a terminal.
func printDays(c *console.Console, r *triallog.Reading, q trial.Question, now time.Time) {
	if !c.Terminal() {
		return
	}
	last := trial.DayOf(now)
	first := max(last-chartDays+1, q.Since)
	uses := make([]int64, last-first+1)
	var most int64
	for _, l := range r.Book.Stats(trial.Question{Name: q.Name, Since: first, Until: last, By: []trial.Dimension{trial.ByDay}}) {
		at, err := time.Parse(time.DateOnly, l.Day)
		if err != nil {
			continue
		}
		n := &uses[trial.DayOf(at)-first]
		*n = l.Loaded + l.Followed
		most = max(most, *n)
	}
	if most == 0 {
		return
	}
	levels := []rune(" ▁▂▃▄▅▆▇█")
	var line strings.Builder
	for _, n := range uses {
		at := 0
		if n > 0 {
			at = max(1, int(n*int64(len(levels)-1)/most))
		}
		line.WriteRune(levels[at])
	}
	c.Printf("\n%s  %s  %s\n", first, line.String(), last)
	c.Printf("%s\n", c.Style.Dim(fmt.Sprintf("uses a day, at most %d", most)))
}
