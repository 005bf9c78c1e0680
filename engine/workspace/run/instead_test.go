package run_test

import (
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// What people decided and what does not count is named with what to do, unless the run is as they wanted.
func TestOverridden(t *testing.T) {
	approval := run.Record{Kind: run.Done, Job: "ask", Approval: &review.Signed{}}
	rejection := run.Record{Kind: run.Failed, Job: "ask", Approval: &review.Signed{}}
	cancellation := run.Record{Kind: run.Ended, Outcome: run.Cancelled}
	const nothing, show, again, approve, reject, cancel = "", "run show", "retry x-00000000 --failed", "run approve x-00000000 ask", "--reject", "run cancel x-00000000"
	for name, c := range map[string]struct {
		outcome                          run.Outcome
		job                              run.Status
		approved, rejected, cancelled    string // next
		approvedOK, rejectedOK, cancelOK bool   // the run is as they wanted
	}{
		"approved": {"", run.Did, nothing, cancel, cancel, true, false, false}, "rejected": {"", run.Gave, nothing, nothing, cancel, false, true, false},
		"waits": {"", run.Waiting, approve, reject, cancel, false, false, false}, "before": {"", "", show, show, cancel, false, false, false},
		"completed": {run.Completed, run.Did, nothing, nothing, nothing, true, false, false}, "failed": {run.Broke, run.Gave, again, nothing, nothing, false, true, false},
		"cancelled": {run.Cancelled, run.Waiting, again, nothing, nothing, false, true, true},
	} {
		s := run.State{ID: "x-00000000", Outcome: c.outcome, Jobs: map[string]run.Job{"ask": {Status: c.job, By: "ben", Reason: "rejected: no"}}}
		for _, d := range []struct {
			of   run.Record
			next string
			ok   bool
		}{{approval, c.approved, c.approvedOK}, {rejection, c.rejected, c.rejectedOK}, {cancellation, c.cancelled, c.cancelOK}} {
			stands, next := s.Overridden(d.of)
			if (stands == "") != d.ok || !strings.Contains(next, d.next) || (next == "") != (d.next == "") {
				t.Errorf("%s, %s: %q, %q", name, d.of.Decision(), stands, next)
			}
		}
		if stands, next := s.Overridden(run.Record{Kind: run.Done, Job: "ask"}); stands+next != "" {
			t.Errorf("%s: %q %q of no decision", name, stands, next)
		}
	}
}
