package attacks_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/flows/reconcile"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/workspace/run"
	"github.com/assent-dev/assent/engine/workspace/runlog"
)

func scheduledRunDefences() map[string]defence {
	return map[string]defence{"schedules-know-their-runs": {attack: "TestAttackScheduledRuns/begun -1m0s, completed, 1"}}
}

// Everyone knows when a schedule fires, and so the ids of its runs. Journals of these runs that a stranger writes
// beforehand, or with dates ahead, or that hold something else, hold up no run of the schedule.
func TestAttackScheduledRuns(t *testing.T) {
	base := newWorld(t)
	base.merged(file("workflows/nightly.yaml", "name: nightly\non: {schedule: \"* * * * *\"}\njobs:\n  look: {run: echo hello}\n"))
	n := 0
	variant := func(what string, deep int, plant func(d *world, b task.Beginning, fired time.Time)) {
		n++
		t.Run(fmt.Sprintf("%s, %d", what, deep), func(t *testing.T) {
			d := base.clone(t)
			d.runner(nil)
			flows, err := task.Workflows(d.session())
			d.ok(err)
			flow := flows[slices.IndexFunc(flows, func(f workflow.Workflow) bool { return f.Name == "nightly" })]
			fired := d.Now().UTC().Truncate(time.Minute)
			b := task.Beginning{Workflow: flow, Commit: d.main(), Event: workflow.Schedule, Key: fired.Format(time.RFC3339), Inputs: task.Defaults(flow)}
			for i := range deep {
				if i > 0 {
					b.Key = fmt.Sprintf("%s after %d", fired.Format(time.RFC3339), i)
				}
				plant(d, b, fired)
			}
			_, err = reconcile.Run(d.Context(), d.Workspace, reconcile.Options{})
			d.ok(err)
			all, _, _ := d.Runs.All()
			if !slices.ContainsFunc(all, func(s run.State) bool {
				return s.Workflow == "nightly" && s.By == "assent" && s.Event == workflow.Schedule && !s.Began.Before(fired)
			}) {
				d.succeeds("no run of the schedule began")
			}
			over, err := reconcile.PassedOver(d.session(), all...)
			d.ok(err)
			for _, s := range all {
				if forged := s.By != "assent"; forged != (over[s.ID] != "") {
					d.succeeds("%s, begun by %s, is shown as passed over: %q", s.ID, s.By, over[s.ID])
				}
			}
			d.unchanged()
		})
	}
	begin := func(at func(fired, now time.Time) time.Time, outcome run.Outcome, change func(*run.Start)) func(d *world, b task.Beginning, fired time.Time) {
		return func(d *world, b task.Beginning, fired time.Time) {
			start := run.Start{Workflow: "nightly", Definition: b.Workflow.Digest, Event: b.Event, Commit: b.Commit.String()}
			change(&start)
			when := at(fired, d.Now())
			_, _, err := d.Runs.Begin(d.Context(), task.ID(b), "mallory", when, start)
			d.ok(err)
			if outcome != "" {
				_, err = d.Runs.Append(d.Context(), task.ID(b), "mallory", when, func(run.State) (*run.Record, error) {
					return &run.Record{V: run.Version, Kind: run.Ended, Outcome: outcome}, nil
				})
				d.ok(err)
			}
		}
	}
	for how, outcome := range map[string]run.Outcome{"that goes on": "", "completed": run.Completed, "cancelled": run.Cancelled} {
		for deep := 1; deep <= 4; deep++ {
			for _, before := range []time.Duration{time.Second, time.Minute, time.Hour, 24 * time.Hour, 30 * 24 * time.Hour} {
				variant(fmt.Sprintf("begun -%s, %s", before, how), deep, begin(func(fired, _ time.Time) time.Time { return fired.Add(-before) }, outcome, func(*run.Start) {}))
			}
			for _, ahead := range []time.Duration{6 * time.Minute, time.Hour, 24 * time.Hour, 300 * 24 * time.Hour} {
				variant(fmt.Sprintf("begun in %s, %s", ahead, how), deep, begin(func(_, now time.Time) time.Time { return now.Add(ahead) }, outcome, func(*run.Start) {}))
			}
		}
		now := func(_, now time.Time) time.Time { return now }
		variant("of another workflow, "+how, 1, begin(now, outcome, func(s *run.Start) { s.Workflow = "braid" }))
		variant("of another event, "+how, 1, begin(now, outcome, func(s *run.Start) { s.Event = "command" }))
	}
	for what, junk := range junks() {
		if what != "no object" {
			variant(what, 2, func(d *world, b task.Beginning, _ time.Time) { junk(d, runlog.Prefix+task.ID(b)) })
		}
	}
	if n < 100 {
		t.Errorf("%d variants", n)
	}
}
