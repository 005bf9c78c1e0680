package render

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/format/suite"
)

func TestSuite(t *testing.T) {
	r := suite.Report{
		V: 1, Subject: suite.Subject{Name: "x", Version: "1.0.0"}, State: suite.Failing, Mastery: 0.5, Passed: 1, Failed: 1, Flaky: 1, Skipped: 1, RequiredFailed: 1,
		Cases: []suite.Result{
			{Name: "a", Origin: suite.Own, Verdict: suite.Pass, Weight: 1, Required: true, Runs: 1, Milliseconds: 7},
			{Name: "b\x1b[2J", Origin: suite.Inherits, From: "old", Verdict: suite.Fail, Weight: 1, Required: true, Runs: 1, Cause: "@ada `no`", Means: "it is gone", Fix: "look", Returned: true},
			{Name: "c", Origin: suite.Standard, Kind: suite.Timeout, Verdict: suite.Flaky, Weight: 0.7, Runs: 3, Cause: "slow"},
			{Name: "d", Origin: suite.Own, Verdict: suite.Skip, Weight: 1, Cause: "was not run"},
		},
	}
	form := func(f string) string {
		out, err := Suite(f, r)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	want := `pass  a
fail  b\u001b[2J (of old)
      @ada ` + "`no`" + `
      means: it is gone
      fix: look
      the record says that this is resolved, and it has returned
flaky c (standard, optional, weight 0.7, 3 runs)
      slow
skip  d (optional)
      was not run
x 1.0.0: failed: 1 of 3 cases pass, mastery 0.50, 1 flaky, 1 not run
`
	if d := cmp.Diff(want, form(FormatText)); d != "" {
		t.Error(d)
	}
	want = "**Tests of `x` `1.0.0`: failed: 1 of 3 cases pass, mastery 0.50, 1 flaky, 1 not run**\n\n" +
		"- **fail** `b\\u001b[2J` (of `old`)\n  - `` @ada `no` ``\n  - means: `it is gone`\n  - fix: `look`\n  - `the record says that this is resolved, and it has returned`\n\n" +
		"- **flaky** `c` (standard, optional, weight 0.7, 3 runs)\n  - `slow`\n\n- **skip** `d` (optional)\n  - `was not run`\n"
	if d := cmp.Diff(want, form(FormatMarkdown)); d != "" {
		t.Error(d)
	}
	var back suite.Report
	if err := json.Unmarshal([]byte(form(FormatJSON)), &back); err != nil || back.Cases[0].Milliseconds != 7 {
		t.Errorf("%v %+v", err, back)
	}
	if _, err := Suite(FormatSARIF, r); err == nil {
		t.Error("a form that it has not")
	}
	for range 2000 {
		r.Cases = append(r.Cases, suite.Result{Name: strings.Repeat("n", 100), Verdict: suite.Fail})
	}
	if text := form(FormatMarkdown); len(text) > maxMarkdown+200 || !strings.Contains(text, "has them all") {
		t.Errorf("%d bytes", len(text))
	}
}
