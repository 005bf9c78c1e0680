package run_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// carried carries a run out: outcomes maps a script to the results of its attempts, "f" failed, "l"
// lost and "d" done, which is also what follows.
func carried(t *testing.T, w workflow.Workflow, outcomes map[string]string) (run.State, []string) {
	t.Helper()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	records := []run.Record{{V: 1, Kind: run.Started, At: now, By: "a", Start: &run.Start{Workflow: w.Name}}}
	var log []string
	for range 200 {
		s, err := run.Of("x-00000000", records)
		if err != nil {
			t.Fatal(err)
		}
		if s.Outcome != "" {
			return s, log
		}
		now = now.Add(time.Second)
		add := func(r run.Record) {
			r.At, r.By = now, "assent"
			if r.Job != "" {
				log = append(log, strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Kind, r.Job, r.Outcome)))
			}
			records = append(records, r)
		}
		next := run.Decide(w, s, now)
		if next.Record != nil {
			add(*next.Record)
			continue
		}
		if next.Action != run.Script {
			t.Fatalf("%+v waits for nothing: %+v", next, s.Jobs)
		}
		name := next.Job.Name
		attempt := s.Jobs[name].Attempt + 1
		records = append(records, run.Record{V: 2, Kind: run.Begun, Job: name, Attempt: attempt, At: now, Until: now.Add(time.Minute), By: "assent"})
		kind := run.Done
		if of := outcomes[name]; attempt <= len(of) {
			kind = map[byte]run.Kind{'f': run.Failed, 'l': run.Lost, 'd': run.Done}[of[attempt-1]]
		}
		add(run.Record{V: 2, Kind: kind, Job: name, Attempt: attempt, Reason: string(kind), Outputs: map[string]any{"n": 3.0}})
	}
	t.Fatal("it does not end")
	return run.State{}, nil
}

func TestFailures(t *testing.T) {
	const on = "name: x\non: {command: x}\n"
	for name, c := range map[string]struct {
		flow     string
		outcomes map[string]string
		want     run.Outcome
		log      string
	}{
		"fail fast": {
			"jobs:\n  a: {run: x}\n  b: {run: x}\n  c: {run: x, needs: a}\n", map[string]string{"a": "f"},
			run.Broke, "failed a, skipped b failed, skipped c failed",
		},
		"the others go on": {
			"fail-fast: false\njobs:\n  a: {run: x}\n  b: {run: x}\n  c: {run: x, needs: a}\n  d: {run: x, needs: c}\n", map[string]string{"a": "f"},
			run.Broke, "failed a, skipped c failed, skipped d failed, done b",
		},
		"retries": {
			"jobs:\n  a: {run: x, retries: 2}\n  b: {run: x, needs: a}\n", map[string]string{"a": "ff"},
			run.Completed, "failed a, failed a, done a, done b",
		},
		"retries used up": {
			"jobs:\n  a: {run: x, retries: 1}\n", map[string]string{"a": "ff"}, run.Broke, "failed a, failed a",
		},
		"losses are no failures": {
			"jobs:\n  a: {run: x}\n", map[string]string{"a": "ll"}, run.Completed, "lost a, lost a, done a",
		},
		"lost too often": {
			"jobs:\n  a: {run: x, retries: 5}\n", map[string]string{"a": "lll"}, run.Broke, "lost a, lost a, lost a, failed a failed",
		},
		"continue on error": {
			"jobs:\n  a: {run: x, continue-on-error: true}\n  b: {run: x, needs: a, if: 'needs.a.outcome == \"failed\"'}\n", map[string]string{"a": "f"},
			run.Completed, "failed a, done b",
		},
		"failure and always": {
			"jobs:\n  a: {run: x}\n  b: {run: x, needs: a, if: failure()}\n  c: {run: x, needs: a, if: always()}\n  d: {run: x, needs: a}\n  e: {run: x, needs: d, if: failure()}\n", map[string]string{"a": "f"},
			run.Broke, "failed a, skipped d failed, done b, done c, done e",
		},
		"always ends no failure": {
			"fail-fast: false\njobs:\n  a: {run: x}\n  b: {run: x, needs: a}\n  c: {run: x, needs: b, if: always()}\n  d: {run: x, needs: c}\n  e: {run: x, needs: d, if: failure()}\n" +
				"  f: {run: x, needs: c, if: 'needs.c.outcome == \"success\"'}\n  g: {run: x}\n  h: {run: x, needs: g, if: failure()}\n", map[string]string{"a": "f"},
			run.Broke, "failed a, skipped b failed, done c, skipped d failed, skipped f failed, done e, done g, skipped h",
		},
		"no failure": {
			"jobs:\n  a: {run: x}\n  b: {run: x, needs: a, if: failure()}\n  c: {run: x, needs: b}\n", nil,
			run.Completed, "done a, skipped b, done c",
		},
		"outputs": {
			"jobs:\n  a: {run: x, outputs: {n: number}}\n  b: {run: x, needs: a, if: 'needs.a.n > 2.5'}\n  c: {run: x, needs: a, if: 'needs.a.n > 3.5'}\n", nil,
			run.Completed, "done a, skipped c, done b",
		},
		"matrix": {
			"jobs:\n  a: {run: x, matrix: {os: [p, q]}}\n  b: {run: x, needs: a}\n", map[string]string{"a-q": "f"},
			run.Broke, "done a-p, failed a-q, skipped b failed",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, log := carried(t, load(t, on+c.flow), c.outcomes)
			if got := strings.Join(log, ", "); s.Outcome != c.want || got != c.log {
				t.Errorf("%s: %s, want %s: %s", s.Outcome, got, c.want, c.log)
			}
		})
	}
}

// TestFailFastKeepsAttempts: a job whose attempt failed beside the failure that prevents the next one keeps that attempt
// as it was recorded, once, and holds up neither the end nor a job that cleans up after it.
func TestFailFastKeepsAttempts(t *testing.T) {
	w := load(t, "name: x\non: {command: x}\njobs:\n  again: {run: x, retries: 2}\n  other: {run: x}\n  clean: {run: x, needs: again, if: always()}\n")
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	records := []run.Record{{V: 1, Kind: run.Started, At: now, By: "a", Start: &run.Start{Workflow: w.Name}}}
	at := func(rs ...run.Record) run.Next {
		for _, r := range rs {
			r.V, r.At, r.By = 2, now, "assent"
			records = append(records, r)
		}
		s, err := run.Of("x-00000000", records)
		if err != nil {
			t.Fatal(err)
		}
		return run.Decide(w, s, now)
	}
	next := at(
		run.Record{Kind: run.Begun, Job: "again", Attempt: 1, Until: now.Add(time.Minute)},
		run.Record{Kind: run.Begun, Job: "other", Attempt: 1, Until: now.Add(time.Minute)},
		run.Record{Kind: run.Failed, Job: "other", Attempt: 1, Reason: "exit code 1"},
		run.Record{Kind: run.Failed, Job: "again", Attempt: 1, Reason: "exit code 2", Output: &run.Output{Stdout: "kept"}},
	)
	if next.Action != run.Script || next.Job.Name != "clean" {
		t.Fatalf("%+v, want to clean up", next)
	}
	next = at(run.Record{Kind: run.Begun, Job: "clean", Attempt: 1, Until: now.Add(time.Minute)}, run.Record{Kind: run.Done, Job: "clean", Attempt: 1})
	if next.Record == nil || next.Record.Kind != run.Ended || next.Record.Reason != "other: exit code 1" {
		t.Fatalf("%+v, want the end", next)
	}
	s, err := run.Of("x-00000000", records)
	if err != nil || s.Jobs["again"].Status != run.Gave || s.Jobs["again"].Output == nil || s.Jobs["again"].Failures != 1 {
		t.Errorf("%+v, %v", s.Jobs["again"], err)
	}
}

// TestCleanupWaits: under fail-fast, a job with always() begins after those that run before the job that it needs.
func TestCleanupWaits(t *testing.T) {
	w := load(t, "name: x\non: {command: x}\njobs:\n  setup: {run: x}\n  other: {run: x}\n  use: {run: x, needs: setup}\n  teardown: {run: x, needs: use, if: always()}\n")
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	records := []run.Record{{V: 1, Kind: run.Started, At: now, By: "a", Start: &run.Start{Workflow: w.Name}}}
	for _, r := range []run.Record{
		{Kind: run.Begun, Job: "setup", Attempt: 1, Until: now.Add(time.Minute)},
		{Kind: run.Begun, Job: "other", Attempt: 1, Until: now.Add(time.Minute)},
		{Kind: run.Failed, Job: "other", Attempt: 1, Reason: "exit code 1"},
		{Kind: run.Failed, Job: "other", Attempt: 1, Outcome: run.Broke, Reason: "exit code 1"},
		{Kind: run.Done, Job: "setup", Attempt: 1},
	} {
		s, err := run.Of("x-00000000", records)
		if err != nil {
			t.Fatal(err)
		}
		if next := run.Decide(w, s, now); next.Action != "" && next.Job.Name == "teardown" || next.Record != nil && next.Record.Job == "use" {
			t.Fatalf("%+v while setup runs", next)
		}
		r.V, r.At, r.By = 2, now, "assent"
		records = append(records, r)
	}
	s, err := run.Of("x-00000000", records)
	if err != nil {
		t.Fatal(err)
	}
	if next := run.Decide(w, s, now); next.Record == nil || next.Record.Kind != run.Skipped || next.Record.Job != "use" {
		t.Errorf("after setup: %+v", next)
	}
}

// A run ends when its time has passed, whatever runs.
func TestRunTimeout(t *testing.T) {
	w := load(t, "name: x\non: {command: x}\ntimeout: 1h\njobs: {a: {run: x}}\n")
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s, err := run.Of("x-00000000", []run.Record{{V: 1, Kind: run.Started, At: at, Start: &run.Start{Workflow: "x"}}})
	if err != nil {
		t.Fatal(err)
	}
	if next := run.Decide(w, s, at.Add(time.Hour-1)); next.Record != nil {
		t.Errorf("%+v", next.Record)
	}
	if next := run.Decide(w, s, at.Add(time.Hour)); next.Record == nil || next.Record.Outcome != run.Broke {
		t.Errorf("%+v", next)
	}
}

// The time in the queue of a concurrency group is no time of the run.
func TestRunTimeoutBeginsAfterTheQueue(t *testing.T) {
	w := load(t, "name: x\non: {command: x}\ntimeout: 1h\nconcurrency: {group: g, cancel: false}\njobs: {a: {run: x}, b: {approve: lead, needs: a, timeout: 3d}}\n")
	b, _ := w.Job("b")
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	records := []run.Record{{V: 1, Kind: run.Started, At: at, Start: &run.Start{Workflow: "x", Of: "x-1"}}}
	for _, c := range []struct {
		more *run.Record
		end  time.Time
	}{
		{nil, time.Time{}},
		{&run.Record{V: 1, Kind: run.Done, Job: "kept", Reason: run.KeptFrom("x-1"), At: at}, time.Time{}},
		{&run.Record{V: 1, Kind: run.Begun, Job: "a", Attempt: 1, Token: "t", At: at.Add(5 * time.Hour)}, at.Add(6 * time.Hour)},
		{&run.Record{V: 1, Kind: run.Done, Job: "a", Attempt: 1, Token: "t", At: at.Add(5*time.Hour + time.Minute)}, at.Add(6 * time.Hour)},
		{&run.Record{V: 1, Kind: run.Asked, Job: "b", Attempt: 1, Role: "lead", Approve: true, At: at.Add(5*time.Hour + time.Minute)}, at.Add(6 * time.Hour)},
	} {
		if c.more != nil {
			records = append(records, *c.more)
		}
		s, err := run.Of("x-00000000", records)
		if err != nil {
			t.Fatal(err)
		}
		if end := run.End(w, s); !end.Equal(c.end) {
			t.Errorf("after %d records it ends at %s, not %s", len(records), end, c.end)
		}
		if len(records) == 5 && !run.Due(w, s, b).Equal(c.end) {
			t.Errorf("the approval is due at %s", run.Due(w, s, b))
		}
		if over := run.Overdue(w, s, at.Add(6*time.Hour)) != ""; over == c.end.IsZero() {
			t.Errorf("after %d records and 6 hours it is over: %t", len(records), over)
		}
	}
}

func TestReadOutputs(t *testing.T) {
	declared := []workflow.Output{{Name: "n", Type: "number"}, {Name: "s", Type: "string"}}
	for _, c := range []struct{ stdout, why string }{
		{"words\n{\"n\": 1.5, \"s\": \"x\"}\n", ""},
		{"{\"n\": 1, \"s\": \"x\"}\nwords\n", "no JSON object"},
		{"", "no JSON object"},
		{"null\n", "no JSON object"},
		{"{\"n\": 1, \"n\": 2, \"s\": \"x\"}", "no JSON object"},
		{"{\"n\": 1}", "s is missing"},
		{"{\"n\": \"1\", \"s\": \"x\"}", "n is no number"},
		{"{\"n\": 1, \"s\": null}", "s is no string"},
		{"{\"n\": 1, \"s\": \"x\", \"t\": 1}", "not declared"},
		{"{\"n\": 1, \"s\": \"" + strings.Repeat("x", run.MaxOutputs) + "\"}", "more than"},
	} {
		if values, why := run.ReadOutputs(declared, c.stdout); (why == "") != (c.why == "") || !strings.Contains(why, c.why) || why == "" && values["n"] != 1.5 {
			t.Errorf("%.40q: %v, %q, want %q", c.stdout, values, why, c.why)
		}
	}
}

// A value of an output becomes a variable of an environment, which holds no NUL byte.
func TestOutputsRefuseNUL(t *testing.T) {
	declared := []workflow.Output{{Name: "x", Type: "string"}}
	for line, good := range map[string]bool{`{"x": "a"}`: true, `{"x": "a\u0000b"}`: false} {
		if _, why := run.ReadOutputs(declared, line); (why == "") != good {
			t.Errorf("%s: %q", line, why)
		}
	}
}

// TestNeededAggregates: of a call and of a job with a matrix, scripts and conditions get one outcome, too.
func TestNeededAggregates(t *testing.T) {
	const inner = "name: inner\non: {command: inner}\njobs:\n  a: {run: x}\n  b: {run: x, needs: a, continue-on-error: true}\n  c: {run: x, needs: b, if: 'inputs.deep == \"x\"'}\ninputs: {deep: {default: y}}\n"
	const middle = "name: middle\non: {command: middle}\njobs:\n  m: {uses: workflow, workflow: inner}\n  n: {run: x, needs: m, if: always()}\n"
	const outer = "name: outer\non: {command: outer}\njobs:\n  call: {uses: workflow, workflow: middle}\n  test: {run: x, matrix: {os: [p, q]}, continue-on-error: true}\n" +
		"  all: {run: x, needs: [call, test], if: always()}\n  good: {run: x, needs: [call, test], if: 'needs.call.outcome == \"success\" && needs.test.outcome == \"success\"'}\n" +
		"  sub: {uses: workflow, workflow: inner, needs: test, if: 'needs.test.outcome == \"failed\"'}\n"
	ws, ds, err := workflow.Load(tree.MapOf(map[string]string{"workflows/i.yaml": inner, "workflows/m.yaml": middle, "workflows/o.yaml": outer}), func(string) error { return nil })
	if err != nil || len(ds) > 0 || len(ws) != 3 {
		t.Fatal(ds, err)
	}
	w := ws[2]
	for name, c := range map[string]struct {
		outcomes      map[string]string
		call, test, m string
		good, sub     run.Status
	}{
		"all succeed":      {nil, "success", "success", "success", run.Did, run.Left},
		"one is tolerated": {map[string]string{"call-m-b": "f"}, "success", "success", "success", run.Did, run.Left},
		"one fails":        {map[string]string{"call-m-a": "f"}, "failed", "skipped", "failed", run.Left, run.Left},
		"a combination":    {map[string]string{"test-q": "f"}, "success", "failed", "success", run.Left, run.Did},
	} {
		t.Run(name, func(t *testing.T) {
			s, log := carried(t, w, c.outcomes)
			all, _ := w.Job("all")
			n, _ := w.Job("call-n")
			env, inside := run.Needed(w, s, all), run.Needed(w, s, n)
			if env["ASSENT_NEEDS_CALL_OUTCOME"] != c.call || env["ASSENT_NEEDS_TEST_OUTCOME"] != c.test || inside["ASSENT_NEEDS_M_OUTCOME"] != c.m {
				t.Errorf("%v, %v, want %s, %s, %s", env, inside, c.call, c.test, c.m)
			}
			if s.Jobs["good"].Status != c.good || s.Jobs["sub-a"].Status != c.sub || s.Jobs["all"].Status != run.Did {
				t.Errorf("good %s, sub-a %s, all %s; want %s, %s, done: %v", s.Jobs["good"].Status, s.Jobs["sub-a"].Status, s.Jobs["all"].Status, c.good, c.sub, log)
			}
		})
	}
	s := run.State{Jobs: map[string]run.Job{"call-m-a": {Status: run.Did}, "call-m-b": {Status: run.Left, Blocked: true}, "call-m-c": {Status: run.Left, Blocked: true}, "call-n": {Status: run.Did}}}
	if all, _ := w.Job("all"); run.Needed(w, s, all)["ASSENT_NEEDS_CALL_OUTCOME"] != "skipped" {
		t.Error("a call that a failure cut short counts as a success")
	}
}

// The reason of a script that was lost too often counts its starts, also those that reported a failure, and has why the
// last one was lost.
func TestLostTooOften(t *testing.T) {
	w := load(t, "name: x\non: {command: x}\njobs:\n  a: {run: x, retries: 5}\n")
	for outcomes, want := range map[string]string{
		"lll": "3 of 3 starts ended without a result; the last: lost", "lflfl": "3 of 5 starts ended without a result; the last: lost",
	} {
		s, _ := carried(t, w, map[string]string{"a": outcomes})
		if a := s.Jobs["a"]; a.Reason != want || s.Reason != "a: "+want || a.Attempt != len(outcomes) {
			t.Errorf("%s: %+v, %s", outcomes, a, s.Reason)
		}
	}
}

// A script that was begun again and again because its processes were told to stop fails in the end.
func TestStoppedTooOften(t *testing.T) {
	w := load(t, "name: x\non: {command: x}\njobs:\n  a: {run: x}\n")
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	records := []run.Record{{V: 4, Kind: run.Started, At: now, Start: &run.Start{Workflow: "x", Run: "x-00000000"}}}
	for n := 1; ; n++ {
		s, err := run.Of("x-00000000", records)
		if err != nil {
			t.Fatal(err)
		}
		next := run.Decide(w, s, now)
		if next.Record != nil {
			if n != 31 || next.Record.Outcome != run.Broke || next.Record.Reason != "30 of 30 starts ended without a result; the last: stopped" {
				t.Errorf("after %d starts: %+v", n-1, next.Record)
			}
			break
		}
		records = append(records, run.Record{V: 4, Kind: run.Begun, Job: "a", Attempt: n, At: now, Until: now.Add(time.Minute)},
			run.Record{V: 4, Kind: run.Lost, Job: "a", Attempt: n, At: now, Outcome: run.Cancelled, Reason: "stopped"})
	}
}

// A task that is asked for again is shown with the failure of the attempt before, as that.
func TestWaitingTaskShowsLastFailure(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s, err := run.Of("x-00000000", []run.Record{
		{V: 1, Kind: run.Started, At: now, Start: &run.Start{Workflow: "x"}}, {V: 1, Kind: run.Asked, Job: "a", Attempt: 1, Role: "r", At: now},
		{V: 1, Kind: run.Failed, Job: "a", Attempt: 1, Reason: "the gate", At: now}, {V: 1, Kind: run.Asked, Job: "a", Attempt: 2, Role: "r", At: now},
	})
	if got := run.Steps(workflow.Workflow{}, s, now)[0]; err != nil || got.Status != run.Waiting || got.Reason != "attempt 1 failed: the gate" {
		t.Errorf("%+v, %v", got, err)
	}
}

// A job that ran when its run ended is cancelled, with its times and attempt; one that never ran is skipped.
func TestStepsOfACancelledRun(t *testing.T) {
	w := load(t, `name: x
on: {command: x}
inputs: {capability: {form: name}}
jobs:
  ran: {run: x}
  lost: {run: x}
  taken: {agent: developer, task: templates/a.md}
  asked: {agent: developer, task: templates/a.md}
  never: {run: x, needs: ran}
`)
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	later := began.Add(2 * time.Second)
	s, err := run.Of("x-00000000", []run.Record{
		{V: 4, Kind: run.Started, At: began, Start: &run.Start{Workflow: "x", Run: "x-00000000"}},
		{V: 4, Kind: run.Begun, Job: "ran", Attempt: 1, At: began, Until: began.Add(time.Minute)},
		{V: 4, Kind: run.Begun, Job: "lost", Attempt: 1, At: began, Until: began.Add(time.Minute)},
		{V: 4, Kind: run.Lost, Job: "lost", Attempt: 1, At: began},
		{V: 4, Kind: run.Asked, Job: "taken", Attempt: 1, Role: "r", At: began},
		{V: 4, Kind: run.Claimed, Job: "taken", Attempt: 1, By: "scout", At: began, Until: began.Add(time.Minute)},
		{V: 4, Kind: run.Asked, Job: "asked", Attempt: 1, Role: "r", At: began},
		{V: 4, Kind: run.Ended, Outcome: run.Cancelled, At: later},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range run.Steps(w, s, later.Add(time.Hour)) {
		want := run.Step{Status: run.Stopped, Began: began, Ended: later, MS: 2000, Attempt: 1}
		switch step.Name {
		case "asked":
			want.Status, want.MS = run.Left, 0
		case "never":
			want = run.Step{Status: run.Left, Ended: later}
		}
		got := run.Step{Status: step.Status, Began: step.Began, Ended: step.Ended, MS: step.MS, Attempt: step.Attempt}
		if got.Status != want.Status || got.MS != want.MS || got.Attempt != want.Attempt || !got.Began.Equal(want.Began) || !got.Ended.Equal(want.Ended) || step.Reason == "" {
			t.Errorf("%s: %+v; want %+v", step.Name, step, want)
		}
	}
}
