package reconcile

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
	"github.com/assent-dev/assent/engine/proposals/approve"
	"github.com/assent-dev/assent/engine/proposals/merge"
	"github.com/assent-dev/assent/engine/workspace/worldtest"
)

const endsFlow = `name: ends
on: {proposal.merged: true, proposal.rejected: true}
jobs:
  say: {uses: notify, message: It ended.}
`

// shared publishes the workspace on a hub and makes clones of it.
func (f *fixture) shared() func() *fixture {
	f.Helper()
	hub := filepath.Join(f.TempDir(), "hub.git")
	storetest.Git(f.TB, f.Dir, "init", "-q", "--bare", "-b", "main", hub)
	storetest.Git(f.TB, f.Dir, "remote", "add", "origin", hub)
	f.publish()
	return func() *fixture {
		f.Helper()
		dir := filepath.Join(f.TempDir(), "clone")
		storetest.Git(f.TB, f.Dir, "clone", "-q", hub, dir)
		g := &fixture{Place: &worldtest.Place{TB: f.TB, Dir: dir, Clock: f.Clock, Ada: f.Ada}}
		g.w = g.other()
		return g
	}
}

func (f *fixture) publish() {
	f.Helper()
	out, err := exchange.Push(f.Context(), f.w, exchange.Options{Remote: "origin"})
	f.OK(err)
	if len(out.Held) > 0 {
		f.Fatal(out.Held)
	}
}

// sits switches to the machine of a clone, with its own memory of the state in force.
func (f *fixture) sits(at time.Time) {
	f.Setenv("ASSENT_HOME", filepath.Join(f.Dir, ".git", "home"))
	f.Clock = at
}

// arrives pulls and makes a pass at a time, as reconcile --remote does.
func (f *fixture) arrives(at time.Time) {
	f.Helper()
	f.sits(at)
	_, err := exchange.Pull(f.Context(), f.w, "origin", false)
	f.OK(err)
	f.pass()
}

// ends merges one proposal and has another one rejected, without a pass that sees it.
func (f *fixture) ends() (merged, rejected string) {
	f.Helper()
	merged, rejected = IDOf(f.push("inbox/scout/hum", "hum")), IDOf(f.push("inbox/scout/sing", "sing"))
	f.pass()
	f.approve(merged)
	_, err := approve.Run(f.Context(), f.w, approve.Decision{Proposal: rejected, Decision: review.Reject, Reason: "test", Signer: f.Ada})
	f.OK(err)
	out, err := merge.Run(f.Context(), f.w, merged, forge.Actor{Name: "ada"}, false)
	f.OK(err)
	if !out.Merged {
		f.Fatal(out.Refused)
	}
	return merged, rejected
}

// of counts the runs of a workflow about each proposal.
func (f *fixture) of(flow string) map[string]int {
	f.Helper()
	all, _, err := f.w.Runs.All()
	f.OK(err)
	out := map[string]int{}
	for _, s := range all {
		if s.Workflow == flow {
			out[s.About]++
		}
	}
	return out
}

// A proposal that ended in one clone starts its runs in another when it arrives there, even
// if its date is before the last pass, once for all clones. For a new clone and a new
// workflow, old proposals start no runs.
func TestEndedElsewhere(t *testing.T) {
	a := begin(t)
	a.brought("workflows/ends.yaml", endsFlow)
	noon := a.Clock
	clone := a.shared()
	b := clone()
	b.arrives(noon.Add(time.Minute))
	before := len(b.of("ends"))

	a.sits(noon.Add(2 * time.Minute))
	merged, rejected := a.ends()
	b.arrives(noon.Add(10 * time.Minute)) // nothing arrived yet
	a.sits(a.Clock)
	a.publish()
	for i := range 3 {
		b.arrives(noon.Add(time.Duration(11+i) * time.Minute))
		if got := b.of("ends"); got[merged] != 1 || got[rejected] != 1 || len(got) != before+2 {
			t.Fatalf("after %d passes: %v, and %d before", i+1, got, before)
		}
	}
	b.publish()
	a.arrives(noon.Add(20 * time.Minute))
	if got := a.of("ends"); got[merged] != 1 || got[rejected] != 1 || len(got) != len(b.of("ends")) {
		t.Errorf("where it ended: %v, elsewhere %v", got, b.of("ends"))
	}

	a.sits(noon.Add(48 * time.Hour))
	a.brought("workflows/more.yaml", "name: more\non: {proposal.merged: true}\njobs:\n  say: {uses: notify, message: More.}\n")
	a.pass()
	if got := a.of("more"); len(got) != 1 || got[merged] != 0 {
		t.Errorf("a new workflow looked back: %v", got)
	}
	a.publish()
	c := clone()
	c.arrives(a.Clock.Add(30 * 24 * time.Hour))
	if got := c.of("more"); len(got) != 1 || got[merged] != 0 {
		t.Errorf("a new clone looked back: %v", got)
	}
}

// The memory of ended proposals is bounded, and proposals beyond it are no news.
func TestKnownIsBounded(t *testing.T) {
	noon := time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)
	o := Observation{Now: noon, Ended: []forge.Pull{}}
	for i := range most + 10 {
		o.Ended = append(o.Ended, forge.Pull{ID: fmt.Sprint("p", i), State: forge.Merged, Updated: noon.Add(-time.Duration(i) * time.Minute)})
	}
	o.Ended = append(o.Ended, forge.Pull{ID: "old", State: forge.Merged, Updated: noon.Add(-span - time.Hour)})
	l := last{At: noon.Add(-time.Hour)}
	l.Known = l.after(o)
	if n := len(l.Known.Ended); n != most {
		t.Errorf("%d are remembered", n)
	}
	if slices.ContainsFunc(o.Ended, l.before(noon).news) {
		t.Error("what was seen is news")
	}
	for _, p := range []forge.Pull{{ID: "late", Updated: noon.Add(-24 * time.Hour)}, {ID: "p3", State: forge.Closed, Updated: noon}} {
		if !l.before(noon).news(p) {
			t.Errorf("%s is no news", p.ID)
		}
	}
	if o.Ended = nil; l.after(o) != nil || !(last{At: noon}).before(noon).From.Equal(noon) {
		t.Error("without a workflow that waits, more is remembered than the time")
	}
	if workflow.ProposalRejected == "" || ending(workflow.ProposalOpened) != "" {
		t.Error("opening ends")
	}
}
