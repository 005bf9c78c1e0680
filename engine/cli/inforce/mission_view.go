package inforce

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/agents/mission"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

func newMissionShow(c *console.Console) *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "Show a mission: what it was linked with, what it used, and how it ended",
		Long: `Show adds up the trials of a mission that this installation recorded in the last 30 days:
what it was linked with and for which steps, what was loaded and followed and how that went,
and the outcome. Of a mission that you run by assent mission run it also shows where that stands,
what it lacked, the runs and proposals for that, what it waits for, and how to go on with it.`,
		Example: `  assent mission show m-17 --json`,
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return runMissionShow(cmd.Context(), c, args[0]) },
	}
}

// missionJSON is one mission, with what it used in the answer of assent mission show.
type missionJSON struct {
	ID    string `json:"id"`
	Begun string `json:"begun"`
	Last  string `json:"last"`
	Agent string `json:"agent,omitempty"`
	Model string `json:"model,omitempty"`
	carriedJSON
	// Lacked is only in the answer of assent mission show.
	*mission.Lacked
	// Context are the tags of the mission, Task its text, or the beginning of it.
	Context []string `json:"context"`
	Task    string   `json:"task,omitempty"`
	// Outcome is absent for a mission without a verdict; By is the verdict's source.
	Outcome trial.Outcome `json:"outcome,omitempty"`
	By      trial.Source  `json:"by,omitempty"`
	Ended   string        `json:"ended,omitempty"`
	// Linked, Used and Missed count capabilities. Missed are those that were used and not linked.
	Linked int           `json:"linked"`
	Used   int           `json:"used"`
	Missed int           `json:"missed"`
	Uses   []missionUsed `json:"uses,omitempty"`
}

type missionUsed struct {
	Name    string             `json:"name"`
	Version capability.Version `json:"version,omitempty"`
	Blob    string             `json:"blob,omitempty"`
	Model   string             `json:"model,omitempty"`
	Context []string           `json:"context"`
	// Linked is set if the capability was linked, in this context or another; For are the steps.
	Linked   bool   `json:"linked"`
	For      string `json:"for,omitempty"`
	Loaded   int    `json:"loaded"`
	Followed int    `json:"followed"`
	// Success, Failure and Partial count the outcomes of uses. Verdict is that of the mission, absent if it did
	// not judge this.
	Success int           `json:"success"`
	Failure int           `json:"failure"`
	Partial int           `json:"partial"`
	Verdict trial.Outcome `json:"verdict,omitempty"`
}

func missionOf(m trial.Mission, states map[string]mission.State) missionJSON {
	s, known := states[m.ID]
	out := missionJSON{
		carriedJSON: carriedOf(s, known, m),
		ID:          m.ID, Begun: m.Begun.Format(time.RFC3339), Last: m.Last.Format(time.RFC3339), Agent: m.Agent, Model: m.Model, Context: append([]string{}, m.Tags...), Task: m.Task,
		Outcome: m.Outcome, By: m.By,
	}
	if m.Outcome != trial.Open {
		out.Ended = m.Ended.Format(time.RFC3339)
	}
	linked, used := map[string]bool{}, map[string]bool{}
	for _, u := range m.Uses {
		linked[u.Capability] = linked[u.Capability] || u.Linked
		used[u.Capability] = used[u.Capability] || u.Used()
	}
	for name := range used {
		switch {
		case linked[name]:
			out.Linked++
		case m.Linked:
			out.Missed++
		}
		if used[name] {
			out.Used++
		}
	}
	for _, u := range slices.Backward(m.Uses) { // the oldest first
		out.Uses = append(out.Uses, missionUsed{
			u.Capability, u.Version, u.Blob, u.Model, append([]string{}, u.Tags...), linked[u.Capability], u.For, u.Loaded, u.Followed, u.Success, u.Failure, u.Partial, u.Judged,
		})
	}
	return out
}

func runMissionShow(ctx context.Context, c *console.Console, id string) error {
	b, err := newObserver(ctx, c, "")
	if err != nil {
		return err
	}
	all, err := triallog.Missions(b.log, trial.DayOf(b.cur.Now().AddDate(0, 0, -triallog.MissionDays)), id)
	if err != nil {
		return err
	}
	all, states, err := carried(ctx, b.cur, id, all)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return console.Refused("assent mission list; assent trial list --mission "+names.ForShell(id)+" also shows what others recorded", "no mission %s was recorded here in the last %d days", id, triallog.MissionDays)
	}
	out := missionOf(all[0], states)
	if s, known := states[out.ID]; known {
		out.Lacked = s.Lacked(b.cur)
	}
	if c.JSON {
		return c.Emit(out)
	}
	c.Printf("%s  %s\n", c.Style.Bold(console.OneLine(out.ID)), phaseText(c, out))
	for _, f := range []struct{ name, value string }{
		{"task", out.Task}, {"agent", out.Agent}, {"model", out.Model}, {"context", strings.Join(out.Context, ", ")}, {"begun", out.Begun}, {"last", out.Last}, {"ended", out.Ended},
		{"folder", out.Folder}, {"reason", out.Reason}, {"warning", out.Unheard}, {"waits for", strings.Join(out.WaitsFor, ", ")}, {"next", cmp.Or(states[out.ID].Repair(), out.Resume)},
	} {
		if f.value != "" {
			c.Field(f.name, console.OneLine(f.value))
		}
	}
	printLacked(c, out.Lacked)
	if s := out.Spent; s != nil {
		c.Field("spent", output.SpentText("the command", s.Own()))
		if w := s.Work; w != nil {
			c.Field("built by", output.SpentText(output.AgentsCommands, *w))
		}
	}
	if len(out.Uses) == 0 {
		return nil
	}
	rows := [][]string{{"CAPABILITY", "LINKED", "LOADED", "FOLLOWED", "SUCCESS", "FAILURE", "PARTIAL", "VERDICT", "FOR"}}
	for _, u := range out.Uses {
		linked := "yes"
		if !u.Linked {
			linked = "no"
		}
		rows = append(rows, []string{
			c.Style.Bold(console.OneLine(u.Name + " " + string(u.Version))), linked, fmt.Sprint(u.Loaded), fmt.Sprint(u.Followed), fmt.Sprint(u.Success), fmt.Sprint(u.Failure), fmt.Sprint(u.Partial), string(u.Verdict),
			console.OneLine(u.For),
		})
	}
	c.Table(rows)
	return nil
}

// printLacked shows what a mission lacked, and where the record of who built it is.
func printLacked(c *console.Console, l *mission.Lacked) {
	if l == nil {
		return
	}
	for _, one := range l.Lacks {
		c.Field("lacked", console.OneLine(one.Name+": "+one.Words))
	}
	c.Optional("left out", console.OneLine(strings.Join(l.LeftOut, ", ")))
	for _, id := range l.Runs {
		c.Field("run", "assent run show "+names.ShellWord(id))
	}
	for _, id := range l.Proposals {
		c.Field("proposal", "assent show "+names.ShellWord(id))
	}
}

func outcomeText(c *console.Console, m missionJSON) string {
	switch m.Outcome {
	case trial.Success:
		return c.Style.Good(string(m.Outcome))
	case trial.Failure:
		return c.Style.Bad(string(m.Outcome))
	}
	return c.Style.Warn(cmp.Or(string(m.Outcome), "open"))
}

type missionListOptions struct {
	agent, outcome, since string
	open                  bool
	limit                 int
}

func newMissionList(c *console.Console) *cobra.Command {
	var o missionListOptions
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the missions that this installation recorded or runs, the newest first",
		Example: `  assent mission list --open
  assent mission list --outcome failure --since 7d --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runMissionList(cmd.Context(), c, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.agent, "agent", "", "only those of this `AGENT`")
	complete.Flag(cmd, "agent", complete.Agents(c))
	f.StringVar(&o.outcome, "outcome", "", "only these: "+console.Words(trial.Outcomes()))
	f.BoolVar(&o.open, "open", false, "only those without an outcome")
	f.StringVar(&o.since, "since", "30d", "only records of the last `TIME`, such as 30d or 12h, or since a day")
	f.IntVar(&o.limit, "limit", 50, "at most `N`")
	cmd.MarkFlagsMutuallyExclusive("open", "outcome")
	return cmd
}

// missionsJSON is the answer of assent mission list.
type missionsJSON struct {
	Missions []missionJSON `json:"missions"`
}

func runMissionList(ctx context.Context, c *console.Console, o missionListOptions) error {
	switch {
	case o.limit < 1:
		return console.Usage("--limit %d: ask for one or more", o.limit)
	case o.outcome != "" && !slices.Contains(trial.Outcomes(), trial.Outcome(o.outcome)):
		return console.Usage("--outcome %q: one of %s", o.outcome, console.Words(trial.Outcomes()))
	}
	cur, err := c.Current(ctx)
	if err != nil {
		return err
	}
	since, err := sinceOf(o.since, cur.Now())
	if err != nil {
		return err
	}
	all, err := triallog.Missions(trialsOf(cur), trial.DayOf(since), "")
	if err != nil {
		return err
	}
	all, states, err := carried(ctx, cur, "", all)
	if err != nil {
		return err
	}
	out := missionsJSON{[]missionJSON{}}
	for _, m := range all {
		if !m.Last.Before(since) && (o.agent == "" || o.agent == m.Agent) && (o.outcome == "" || o.outcome == string(m.Outcome)) && (!o.open || m.Outcome == trial.Open) {
			row := missionOf(m, states)
			row.Uses = nil
			row.Task = strings.ToValidUTF8(row.Task[:min(len(row.Task), maxTask)], "")
			out.Missions = append(out.Missions, row)
		}
	}
	out.Missions = out.Missions[:min(len(out.Missions), o.limit)]
	if c.JSON {
		return c.Emit(out)
	}
	var rows [][]string
	for _, m := range out.Missions {
		rows = append(rows, []string{
			m.Begun[:len("2006-01-02")], c.Style.Bold(console.OneLine(m.ID)), phaseText(c, m), console.OneLine(m.Agent),
			fmt.Sprintf("%d linked, %d used", m.Linked, m.Used), console.OneLine(m.Task),
		})
	}
	if len(rows) == 0 {
		c.Printf("no mission fits\n")
	}
	c.Table(rows)
	if slices.ContainsFunc(out.Missions, func(m missionJSON) bool { return m.Resume != "" }) {
		c.Progress("assent mission run --id ID goes on with one that waits or was interrupted")
	}
	return nil
}

// maxTask bounds the text of a mission in a list, in bytes.
const maxTask = 200
