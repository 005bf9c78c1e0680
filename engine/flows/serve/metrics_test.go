package serve

import (
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/flows/reconcile"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// Runs that end beside the passes and in them are counted, each once, by outcome, and scripts that a pass finds lost.
func TestEndedRunsAreCounted(t *testing.T) {
	d := newClock(fine).Daemon
	d.Script(task.Advanced{Steps: []run.Record{{Kind: run.Failed, Job: "a"}, {Kind: run.Ended, Outcome: run.Broke}}}, nil)
	var out Outcome
	out.Results = []reconcile.Result{{Outcome: reconcile.Ended, Reason: "failed: a: exit code 1"}, {Outcome: reconcile.Ended, Reason: "completed"}, {Outcome: reconcile.Started}, {Outcome: reconcile.Advanced, Lost: 2}}
	d.ended(out, nil, time.Time{}, time.Time{})
	families, err := d.metrics.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range families {
		if f.GetName() != "assent_runs_total" && f.GetName() != "assent_scripts_total" {
			continue
		}
		for _, m := range f.GetMetric() {
			got[f.GetName()+" "+m.GetLabel()[0].GetValue()] = m.GetCounter().GetValue()
		}
	}
	for name, want := range map[string]float64{
		"assent_runs_total failed": 2, "assent_runs_total completed": 1, "assent_runs_total cancelled": 0, "assent_scripts_total failed": 1, "assent_scripts_total lost": 2,
	} {
		if have, there := got[name]; !there || have != want {
			t.Errorf("%s is %v, not %v: %v", name, have, want, got)
		}
	}
}
