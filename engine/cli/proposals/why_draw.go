package proposals

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/registry/link"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/tools/discover"
	"github.com/assent-dev/assent/engine/tools/linker"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// whyDraw is a draw by which a mission, linked by the trials of now, orders the capability among equally fit ones.
// Seed is the mission's id, Odds the chance to come first.
type whyDraw struct {
	Seed string `json:"seed"`
	Text string `json:"text"`
	link.Draw
	Odds float64 `json:"odds"`
}

// drawn explains the draws about a tool: in a mission, or in the newest one that was linked with it or with another
// implementation of the same specification.
func (w *whyJSON) drawn(ctx context.Context, cur workspace.Session, here discover.Here, e index.Entry, id string) error {
	if e.Kind != capability.KindTool {
		return nil
	}
	group, err := cur.Capabilities.Related(index.Implements, cmp.Or(e.Implements, e.Name))
	if err != nil || len(group) == 0 && id == "" {
		return err
	}
	group = append(group, e)
	equal := func(u trial.MissionUse) bool {
		return u.Linked && slices.ContainsFunc(group, func(e index.Entry) bool { return names.Fold(u.Capability) == names.Fold(e.Name) })
	}
	records := workspace.TrialsOf(cur)
	all, err := triallog.Missions(records, trial.DayOf(cur.Now().AddDate(0, 0, -triallog.MissionDays)), id)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(all, func(m trial.Mission) bool { return m.Linked && (id != "" || slices.ContainsFunc(m.Uses, equal)) })
	if at < 0 && id != "" {
		return console.Refused("assent mission list names them", "no mission %s was linked here in the last %d days", id, triallog.MissionDays)
	} else if at < 0 {
		return nil
	}
	var trials triallog.Reading
	if err := records.Refresh(&trials); err != nil {
		return err
	}
	m := all[at]
	answer, err := linker.Run(ctx, here.WithEmbeddings(ctx), &trials, link.Question{Agent: m.Agent, Model: m.Model, Context: m.Tags, Mission: m.Task, Each: 1, ID: m.ID})
	if errors.Is(err, linker.ErrNothingAsked) { // the policies have no summaries kept
		return nil
	}
	for _, d := range answer.Draws {
		if d.Name == e.Name {
			w.Draws = append(w.Draws, whyDraw{m.ID, answer.Steps[d.Step-1], d, answer.Odds(d)})
		}
	}
	return err
}

func (w *whyJSON) printDraws(c *console.Console) {
	for _, d := range w.Draws {
		c.Printf("drawn for the mission %s, step %d (%s): %.2f from %d of %d, place %d of the equally fit; the odds of the first place are %.0f %%\n",
			console.OneLine(d.Seed), d.Step, console.OneLine(d.Text), d.Draw.Draw, d.Passed, d.Tried, d.Place, 100*d.Odds)
	}
}
