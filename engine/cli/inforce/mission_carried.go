package inforce

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/assent-dev/assent/engine/agents/mission"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// carriedJSON is where a mission stands that assent mission run carries through.
type carriedJSON struct {
	// State is running, waiting, stalled, interrupted or ended; open for a mission that others carry through.
	State mission.Phase `json:"state"`
	// WaitsFor are runs and proposals, Resume is the command that goes on with the mission.
	WaitsFor []string `json:"waits_for,omitempty"`
	Resume   string   `json:"resume,omitempty"`
	Folder   string   `json:"folder,omitempty"`
	Reason   string   `json:"reason,omitempty"`
	// Unheard says what of the newest output could not be heard for gaps.
	Unheard string `json:"unheard,omitempty"`
	// Spent is what the runs of its command used.
	Spent *mission.Spent `json:"spent,omitempty"`
}

// open is the state of a mission without an outcome that has no journal.
const open mission.Phase = "open"

func carriedOf(s mission.State, known bool, m trial.Mission) carriedJSON {
	switch {
	case known:
		end, _ := s.Ended()
		spent := s.Spent()
		return carriedJSON{s.Phase(), s.WaitsFor(), s.Resume(), s.Steps[0].Folder, cmp.Or(s.Stalled(), end.Reason), s.Unheard(), &spent}
	case m.Outcome == trial.Open:
		return carriedJSON{State: open}
	}
	return carriedJSON{State: mission.Over}
}

// carried adds the missions of journals to those of trials: one that was interrupted, or that used nothing,
// has no trial. The journals are those of the user and the workspace; with an id, that one only.
func carried(ctx context.Context, cur workspace.Session, id string, all []trial.Mission) ([]trial.Mission, map[string]mission.State, error) {
	dir, err := keys.Home()
	if err != nil {
		return nil, nil, err
	}
	var found []mission.State
	if store := mission.In(dir); id == "" {
		found, err = store.List(ctx, cur.ID())
	} else {
		var one mission.State
		if one, err = store.Look(ctx, id, cur.ID()); err == nil {
			found = append(found, one)
		} else if errors.Is(err, mission.ErrNone) || trial.CheckMission(id) != nil {
			err = nil
		}
	}
	states := map[string]mission.State{}
	for _, s := range found {
		if err := s.See(cur); err != nil {
			return nil, nil, err
		}
		states[s.ID] = s
		i := slices.IndexFunc(all, func(m trial.Mission) bool { return m.ID == s.ID })
		if i < 0 {
			i, all = len(all), append(all, trial.Mission{ID: s.ID, Begun: s.Steps[0].At, Agent: s.Steps[0].Agent})
		}
		m, end := &all[i], s.Steps[len(s.Steps)-1]
		m.Task, m.Begun = s.Steps[0].Text, s.Steps[0].At
		if end.At.After(m.Last) {
			m.Last = end.At
		}
		if m.Outcome == trial.Open && end.Kind == mission.Ended {
			m.Outcome, m.Ended = end.Outcome, end.At
		}
	}
	order.Stable(all, func(a, b trial.Mission) int { return b.Last.Compare(a.Last) })
	return all, states, err
}

// phaseText is the outcome of a mission or, without one, where it stands.
func phaseText(c *console.Console, m missionJSON) string {
	if m.Outcome != trial.Open {
		return outcomeText(c, m)
	}
	return c.Style.Warn(cmp.Or(string(m.State), string(open)))
}

// runMissionEnd records a verdict, and ends the mission's journal if it has one that goes on.
func runMissionEnd(ctx context.Context, c *console.Console, o trialRecordOptions) error {
	b, err := newObserver(ctx, c, o.agent)
	if err != nil {
		return err
	}
	dir, err := keys.Home()
	if err != nil {
		return err
	}
	store, id := mission.In(dir), o.Mission
	s, err := store.Look(ctx, id, b.cur.ID())
	switch {
	case errors.Is(err, mission.ErrNone) || trial.CheckMission(id) != nil:
		return runTrialRecord(ctx, c, o, "")
	case err != nil:
		return err
	}
	switch s.Phase() {
	case mission.Over:
		return runTrialRecord(ctx, c, o, "")
	case mission.Running:
		return console.Refused("end that process first, such as by Ctrl-C", "a process carries the mission %s through now", id)
	}
	m, err := triallog.Mission(b.log, id)
	if err != nil {
		return err
	}
	var all []trial.Observation
	use := o.use(nil)
	if !m.Begun.IsZero() && m.Outcome != use.Outcome { // one that used nothing has no record
		if all, err = b.judge(m, use); err != nil {
			return err
		}
	}
	kept, err := b.record(ctx, all, o.dryRun)
	if err != nil {
		return err
	}
	var end mission.Step
	if !o.dryRun {
		if s, err = store.End(ctx, b.cur, id, mission.Step{Outcome: use.Outcome, Reason: cmp.Or(o.Diagnosis, "assent mission end")}); err != nil {
			return err
		}
		end, _ = s.Ended()
	}
	if c.JSON {
		return c.Emit(recordedJSON{DryRun: o.dryRun, Recorded: len(all), Trials: kept, Refused: []refusedLine{}, Active: end.Runs})
	}
	would := ""
	if o.dryRun {
		would = "would be "
	}
	c.Printf("the mission %s %sended: %s, with %s\n", id, would, use.Outcome, console.Plural(len(all), "trial"))
	for _, one := range end.Runs {
		c.Printf("%s\n", output.LeftRun(one, use.Outcome))
	}
	return nil
}
