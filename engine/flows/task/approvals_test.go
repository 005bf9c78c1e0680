package task_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/flows/notice"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

func mustJob(t *testing.T, f workflow.Workflow, name string) workflow.Job {
	t.Helper()
	j, known := f.Job(name)
	if !known {
		t.Fatal(name)
	}
	return j
}

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
	expired := p.run(w).ID
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
	// No pass recorded it, and every reader says so.
	w, err = p.on(nil)
	p.OK(err)
	cur, err := w.Session(t.Context())
	p.OK(err)
	s, err := w.Runs.Read(expired)
	p.OK(err)
	defs, err := task.DefinitionsOf(cur)
	p.OK(err)
	flow, _ := defs.Recorded(s)
	for _, step := range run.Steps(flow, s, p.Clock) {
		if step.Name != "next" && (step.Status != run.Gave || !step.Ended.After(step.Began) || step.Reason != run.Expired(mustJob(t, flow, step.Name), s.Jobs[step.Name], p.Clock)) {
			t.Errorf("%+v", step)
		}
	}
	asked, err := task.Requested(t.Context(), cur, false, "scout")
	p.OK(err)
	if r := asked[len(asked)-1]; r.Run != expired || r.Approve != "" || len(r.WaitsFor) > 0 || r.Reason == "" {
		t.Errorf("%+v", asked)
	}
	late := mustJob(t, flow, "late")
	if err := task.Rulable(flow, s, late, p.Clock); !errors.Is(err, task.ErrExpired) {
		t.Error(err)
	}
	out, err := task.Advance(t.Context(), w, expired)
	p.OK(err)
	if err := task.Rulable(flow, out.State, late, p.Clock); out.Outcome == "" || !errors.Is(err, task.ErrExpired) {
		t.Error(out.Outcome, err)
	}
}

// An approval cannot take longer than its run, and once the time of the run is over, every reader says so.
func TestApprovalEndsWithItsRun(t *testing.T) {
	p := beginWith(t, `name: braid
on: {command: braid}
timeout: 12h
inputs: {capability: {required: true, form: name}, goal: {}}
jobs:
  late: {approve: lead, timeout: 3d}
  soon: {approve: lead, timeout: 1h}
`)
	p.does(start)
	began := p.Clock
	look := func(after time.Duration) (cur workspace.Session, s run.State, flow workflow.Workflow) {
		t.Helper()
		p.Clock = began.Add(after)
		w, err := p.on(nil)
		p.OK(err)
		cur, err = w.Session(t.Context())
		p.OK(err)
		defs, err := task.DefinitionsOf(cur)
		p.OK(err)
		s = p.run(w)
		flow, _ = defs.Recorded(s)
		return cur, s, flow
	}
	cur, s, flow := look(0)
	all, err := task.Approvals(t.Context(), cur, "ada")
	p.OK(err)
	if len(all) != 2 || !all[0].Until.Equal(s.Jobs["soon"].Asked.Add(time.Hour)) || !all[1].Until.Equal(s.Began.Add(12*time.Hour)) {
		t.Errorf("%+v", all)
	}
	told := ""
	for _, n := range notice.OfRun(s, notice.Around{Flow: flow, Roles: cur.Policies.Roles, Workspace: cur.ID(), Takers: func(workflow.Job) []string { return nil }, Now: cur.Now()}) {
		told += n.Job + " " + n.Reasons[0] + "\n"
	}
	for _, a := range all {
		if !strings.Contains(told, a.Job+" waits until "+a.Until.UTC().Format(time.RFC3339)) {
			t.Errorf("%s: %s", a.Job, told)
		}
	}
	cur, s, flow = look(12 * time.Hour)
	all, err = task.Approvals(t.Context(), cur, "ada")
	p.OK(err)
	if len(all) != 0 {
		t.Errorf("%+v", all)
	}
	if err := task.Rulable(flow, s, mustJob(t, flow, "late"), p.Clock); !errors.Is(err, task.ErrExpired) {
		t.Error(err)
	}
	asked, err := task.Requested(t.Context(), cur, false, "scout")
	p.OK(err)
	if r := asked[0]; r.Approve != "" || r.Reason != run.Overdue(flow, s, p.Clock) || r.Reason == "" {
		t.Errorf("%+v", r)
	}
}
