package duplicate_test

import (
	"testing"

	"github.com/assent-dev/assent/engine/gate/duplicate"
)

// A goal in other words is the same goal if it is about the same things.
func TestSameGoal(t *testing.T) {
	for _, w := range []struct {
		a, b string
		same bool
	}{
		{"know what the team thinks", "Know What the TEAM  thinks.", true},
		{"know what the team thinks", "to know what our team is thinking", true},
		{"parse CSV files", "the parsing of a csv-file", true},
		{"know what the team thinks", "know which editor the team uses", false},
		{"know what the team thinks", "know what the team thinks of tests", false},
		{"parse csv", "parse", false},
		{"do it", "do it", true},
		{"do it", "be it", false},
		{"", "", false},
		{"...", "!!!", false},
		{"日程を整理する", "日程を整理する", true},
	} {
		if got := duplicate.SameGoal(w.a, w.b); got != w.same {
			t.Errorf("%q and %q: same goal %v, want %v", w.a, w.b, got, w.same)
		}
		if got := duplicate.SameGoal(w.b, w.a); got != w.same {
			t.Errorf("%q and %q: same goal %v, want %v", w.b, w.a, got, w.same)
		}
	}
}
