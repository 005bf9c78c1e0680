package cli_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// An expired request names the one command that helps, whether or not it was closed for that, and
// this command helps.
func TestRequestExpires(t *testing.T) {
	for _, closed := range []bool{false, true} {
		f := newFormat0(t)
		state := func() (state, next string) {
			t.Helper()
			var v struct{ State, Next string }
			f.ok(json.Unmarshal([]byte(f.run("show", "drone", "--json")), &v))
			return v.State, v.Next
		}
		if s, next := state(); s != "waiting" || !strings.Contains(next, "assent review") {
			t.Fatalf("at first: %s, next %s", s, next)
		}
		f.clock = f.clock.Add(8 * 24 * time.Hour)
		if closed {
			f.run("reconcile")
		}
		s, next := state()
		if s != "expired" || !strings.HasPrefix(next, "assent reopen drone-") {
			t.Errorf("8 days later, closed %v: %s, next %s", closed, s, next)
		}
		if !closed { // an approval does not make up for it
			f.run("review", "drone", "approve")
			if s, next := state(); s != "expired" || !strings.HasPrefix(next, "assent reopen drone-") {
				t.Errorf("approved: %s, next %s", s, next)
			}
		}
		f.run("reopen", "drone")
		if closed {
			if s, _ := state(); s != "waiting" {
				t.Errorf("reopened: %s", s)
			}
			f.run("review", "drone", "approve")
		}
		if s, _ := state(); s != "approved" {
			t.Errorf("approved and reopened, closed %v: %s", closed, s)
		}
		f.run("merge", "drone")
		f.run("audit", "verify")
	}
}
