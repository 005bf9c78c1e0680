package health

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/format/suite"
)

func at(hours int) time.Time {
	return time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC).Add(time.Duration(hours) * time.Hour)
}

// TestTransitions checks each state with each kind of evidence and outcome. "!" is
// illegal; a path lists each step.
func TestTransitions(t *testing.T) {
	for _, tc := range []struct {
		from    State
		kind    Kind
		outcome Outcome
		want    string
	}{
		{Pending, Suite, Passed, "green"}, {Pending, Suite, Failed, "rejected"}, {Pending, Suite, Mixed, "red flaky"}, {Pending, Suite, Nothing, ""},
		{Pending, Smoke, Passed, "green"}, {Pending, Smoke, Failed, "red"}, {Pending, Smoke, Mixed, "red flaky"}, {Pending, Smoke, Nothing, ""},
		{Pending, Use, Passed, ""}, {Pending, Use, Failed, ""}, {Pending, Reset, Passed, "!"},
		{Green, Suite, Passed, ""}, {Green, Suite, Failed, "red"}, {Green, Suite, Mixed, "red flaky"}, {Green, Suite, Nothing, ""},
		{Green, Smoke, Passed, ""}, {Green, Smoke, Failed, "red"}, {Green, Smoke, Mixed, "red flaky"}, {Green, Smoke, Nothing, ""},
		{Green, Use, Passed, ""}, {Green, Use, Failed, ""}, {Green, Reset, Passed, "!"},
		{Red, Suite, Passed, "green"}, {Red, Suite, Failed, ""}, {Red, Suite, Mixed, "flaky"}, {Red, Suite, Nothing, ""},
		{Red, Smoke, Passed, "!"}, {Red, Smoke, Failed, "!"}, {Red, Smoke, Mixed, "!"}, {Red, Smoke, Nothing, "!"},
		{Red, Use, Passed, ""}, {Red, Use, Failed, ""}, {Red, Reset, Passed, "!"},
		{Flaky, Suite, Passed, "green"}, {Flaky, Suite, Failed, "red"}, {Flaky, Suite, Mixed, ""}, {Flaky, Suite, Nothing, ""},
		{Flaky, Smoke, Passed, ""}, {Flaky, Smoke, Failed, "red"}, {Flaky, Smoke, Mixed, ""}, {Flaky, Smoke, Nothing, ""},
		{Flaky, Use, Passed, ""}, {Flaky, Use, Failed, ""}, {Flaky, Reset, Passed, "!"},
		{Rejected, Suite, Passed, "!"}, {Rejected, Suite, Failed, "!"}, {Rejected, Suite, Mixed, "!"}, {Rejected, Suite, Nothing, "!"},
		{Rejected, Smoke, Passed, "!"}, {Rejected, Smoke, Failed, "!"}, {Rejected, Smoke, Mixed, "!"}, {Rejected, Smoke, Nothing, "!"},
		{Rejected, Use, Passed, ""}, {Rejected, Use, Failed, ""}, {Rejected, Reset, Passed, "pending"},
	} {
		before := Entry{Digest: "d", State: tc.from, By: Suite}
		after, err := before.Step(Evidence{Kind: tc.kind, Outcome: tc.outcome, At: at(1), Why: "because"}, Thresholds{Degraded: 3})
		var illegal *Illegal
		switch {
		case tc.want == "!":
			if !errors.As(err, &illegal) || !strings.Contains(err.Error(), " ") || after.State != tc.from || len(after.History) > 0 {
				t.Errorf("%s, %s %s: %s, %v, want a sentence", tc.from, tc.kind, tc.outcome, after.State, err)
			}
			continue
		case err != nil:
			t.Errorf("%s, %s %s: %v", tc.from, tc.kind, tc.outcome, err)
			continue
		}
		var steps []string
		last := tc.from
		for _, h := range after.History {
			if h.From != last || !h.At.Equal(at(1)) || h.Why != "because" {
				t.Errorf("%s, %s %s: history %+v", tc.from, tc.kind, tc.outcome, after.History)
			}
			last = h.To
			steps = append(steps, string(h.To))
		}
		if got := strings.Join(steps, " "); got != tc.want || after.State != last {
			t.Errorf("%s, %s %s: %q and then %s, want %q", tc.from, tc.kind, tc.outcome, got, after.State, tc.want)
		}
	}
}

// TestUses: so many failures in a row, and not so many in all, put into quarantine.
func TestUses(t *testing.T) {
	limits := Thresholds{Degraded: 3, RetireFailures: 5, RetireBelow: 10}
	e := Entry{State: Green}
	use := func(o Outcome) {
		var err error
		if e, err = e.Step(Evidence{Kind: Use, Outcome: o, At: at(2), Why: "boom", Cost: 0.1}, limits); err != nil {
			t.Fatal(err)
		}
	}
	for _, o := range []Outcome{Failed, Failed, Passed, Failed, Nothing, Failed} {
		use(o)
	}
	if e.State != Green || e.InARow != 2 || e.Uses != 6 || e.Cost != 0.6 || e.Failures != 4 || e.Retire(limits) {
		t.Fatalf("before the third: %+v", e)
	}
	use(Failed)
	if e.State != Red || e.By != Use || e.Why != "3 uses in a row failed, the last with: boom" || !e.Retire(limits) {
		t.Fatalf("after the third: %+v", e)
	}
	use(Passed) // it began before
	if e.State != Red || e.Uses != 8 {
		t.Fatalf("a late success: %+v", e)
	}
	passing := Evidence{Kind: Suite, Outcome: Passed, At: at(3)}
	if e, _ = e.Step(passing, limits); e.State != Red || e.Due(at(9999), time.Hour) {
		t.Errorf("tests by themselves end a quarantine that uses caused: %+v", e)
	}
	passing.Asked = true
	if e, _ = e.Step(passing, limits); e.State != Green || e.InARow != 0 {
		t.Errorf("tests that somebody asked for: %+v", e)
	}
}

func TestDue(t *testing.T) {
	for _, tc := range []struct {
		name string
		e    Entry
		want bool
	}{
		{"never tested", Entry{State: Pending}, true},
		{"tested just now", Entry{State: Green, Checked: at(99)}, false},
		{"tested long ago", Entry{State: Green, Checked: at(76)}, true},
		{"failing", Entry{State: Red, By: Suite, Checked: at(99)}, true},
		{"failing in use", Entry{State: Red, By: Use, Checked: at(1)}, false},
		{"flaky", Entry{State: Flaky, Checked: at(99)}, true},
		{"rejected", Entry{State: Rejected}, false},
	} {
		if got := tc.e.Due(at(100), 24*time.Hour); got != tc.want {
			t.Errorf("%s: due %v", tc.name, got)
		}
	}
}

// TestOf: what tests came to, as evidence.
func TestOf(t *testing.T) {
	result := func(v suite.Verdict, required bool) suite.Result {
		return suite.Result{Name: "c" + string(v), Origin: suite.Own, Verdict: v, Required: required, Cause: "cause"}
	}
	for _, tc := range []struct {
		name    string
		report  suite.Report
		outcome Outcome
		why     string
	}{
		{"all pass", suite.Report{Passed: 1, Cases: []suite.Result{result(suite.Pass, true)}}, Passed, ""},
		{"a required one fails", suite.Report{Passed: 1, Failed: 1, Flaky: 1, RequiredFailed: 1, Cases: []suite.Result{result(suite.Flaky, false), result(suite.Fail, true)}}, Failed, "fail own: cfail: cause"},
		{"one that is not required fails", suite.Report{Passed: 1, Failed: 1, Cases: []suite.Result{result(suite.Pass, true), result(suite.Fail, false)}}, Passed, "fail own: cfail: cause"},
		{"a required one is flaky", suite.Report{Passed: 1, Flaky: 1, RequiredFailed: 1, Cases: []suite.Result{result(suite.Flaky, true)}}, Mixed, "flaky own: cflaky: cause"},
		{"not run", suite.Report{Passed: 1, Skipped: 1, RequiredSkipped: 1, Cases: []suite.Result{result(suite.Skip, true)}}, Nothing, "skip own: cskip: cause"},
		{"no tests", suite.Report{}, Nothing, ""},
	} {
		got := Of(Suite, tc.report, "sha256:1", at(1))
		if got.Outcome != tc.outcome || got.Why != tc.why {
			t.Errorf("%s: %s %q", tc.name, got.Outcome, got.Why)
		}
	}
}
