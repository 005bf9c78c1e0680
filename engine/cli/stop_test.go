package cli_test

import (
	"encoding/json"
	"testing"
	"time"
)

// A human who used up their time stops a capability only while a proposal about it is open,
// and the answer names that proposal.
func TestStopOfUsedUpTime(t *testing.T) {
	type answer struct {
		ID, Proposal, Why string
		Holds             bool
	}
	u := newUser(t)
	run := func(args ...string) (a answer) {
		t.Helper()
		u.ahead += time.Minute // as records of one second have no order
		code, out, errs := u.run(append(args, "--json")...)
		if code != 0 {
			t.Fatalf("%v: %d, %s", args, code, errs)
		}
		if err := json.Unmarshal([]byte(out), &a); err != nil {
			t.Fatal(err)
		}
		return a
	}
	run("stop", "slugify", "-m", "it drops lines", "--for", "336h")
	run("stop", "--lift", "slugify", "-m", "a mistake")
	if a := run("stop", "slugify", "-m", "it drops lines"); a.Holds || a.Proposal != "" || a.Why == "" {
		t.Errorf("without a proposal: %+v", a)
	}
	id := run("propose", "--delete", "slugify", "--agent", "scout").ID
	if a := run("stop", "slugify", "-m", "it drops lines"); !a.Holds || a.Proposal != id || id == "" {
		t.Errorf("with the proposal %s: %+v", id, a)
	}
}
