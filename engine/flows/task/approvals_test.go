package task_test

import (
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// TestApprovals: a job that waits for a person is listed until it expires, for those who may approve it.
// A run whose workflow was never in force is left out.
func TestApprovals(t *testing.T) {
	p := beginWith(t, `name: braid
on: {command: braid}
inputs: {capability: {required: true, form: name}, goal: {}}
jobs:
  late: {approve: lead, timeout: 3d}
  soon: {approve: human, timeout: 1d}
  next: {approve: lead, needs: late}
`)
	p.does(start)
	w, err := p.on(nil)
	p.OK(err)
	_, _, err = w.Runs.Begin(t.Context(), "clove-hitch-00000000", "scout", p.Clock, run.Start{Workflow: "braid", Event: "command", Commit: "0123456789012345678901234567890123456789"})
	p.OK(err)
	_, err = w.Runs.Append(t.Context(), "clove-hitch-00000000", "scout", p.Clock, func(run.State) (*run.Record, error) {
		return &run.Record{V: run.Version, Kind: run.Asked, Job: "late", Attempt: 1, Role: "lead", Approve: true}, nil
	})
	p.OK(err)
	listed := func(after time.Duration, people ...string) (jobs string) {
		t.Helper()
		p.Clock = p.Clock.Add(after)
		w, err := p.on(nil)
		p.OK(err)
		cur, err := w.Session(t.Context())
		p.OK(err)
		all, err := task.Approvals(t.Context(), cur, people...)
		p.OK(err)
		for _, a := range all {
			jobs += a.Job + " "
		}
		return jobs
	}
	for _, c := range []struct {
		after  time.Duration
		people []string
		want   string
	}{
		{0, []string{"ada"}, "soon late "}, {0, []string{"scout", "nina"}, ""}, {0, nil, ""},
		{24 * time.Hour, []string{"ada"}, "late "}, {48 * time.Hour, []string{"ada"}, ""},
	} {
		if got := listed(c.after, c.people...); got != c.want {
			t.Errorf("%s later, for %s: %q, want %q", c.after, c.people, got, c.want)
		}
	}
}
