package gc_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/proposals/gc"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// unusedKnot is a place where granny-knot is proposed for archiving, as unused.
func unusedKnot(t *testing.T) (p *place, id string) {
	t.Helper()
	p = begin(t, idleWorld())
	p.record("reef-knot", trial.Loaded)
	p.Clock = p.Clock.Add(40 * 24 * time.Hour)
	p.record("reef-knot", trial.Loaded)
	got := p.collect()
	if len(got) != 1 || got[0].Outcome != gc.Proposed {
		t.Fatalf("%+v", got)
	}
	p.Clock = p.Clock.Add(24 * time.Hour)
	return p, got[0].Proposal
}

// about returns the results about a capability.
func about(name string, all []gc.Result) []gc.Result {
	return slices.DeleteFunc(slices.Clone(all), func(r gc.Result) bool { return r.Capability != name })
}

// end closes a proposal without a merge.
func (p *place) end(id, why string) {
	p.Helper()
	if why == "rejected" {
		p.reject(id)
		return
	}
	w, err := p.On(nil)
	p.OK(err)
	p.OK(w.Forge.Close(p.Context(), id, forge.Closing{By: forge.Actor{Name: "ada"}, Why: why, At: p.Clock}))
}

// pull reads a proposal.
func (p *place) pull(id string) forge.Pull {
	p.Helper()
	w, err := p.On(nil)
	p.OK(err)
	pull, err := w.Forge.Get(p.Context(), id)
	p.OK(err)
	return pull
}

// TestWithdrawn: an open archive proposal is withdrawn when what it says no longer holds, by any number of
// engines; it stays while nothing refutes it, and if a person reopened it.
func TestWithdrawn(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*place)
		want   string // words of the reason; "" if it stays open
	}{
		{"nothing happened", func(*place) {}, ""},
		{"another one was used", func(p *place) { p.record("reef-knot", trial.Loaded) }, ""},
		{"used", func(p *place) { p.record("granny-knot", trial.Followed) }, "it was used on "},
		{"linked to a mission", func(p *place) { p.missions(1, trial.Success, "granny-knot") }, ""},
		{"required", func(p *place) {
			p.bring("moor", skill("moor-boat", "Tie it up.", "requires: {capabilities: [granny-knot]}\n")...)
		}, "moor-boat requires it"},
		{"named", func(p *place) { p.bring("moor", skill("moor-boat", "Use `granny_knot` here.", "")...) }, "names it"},
		{"changed", func(p *place) { p.bring("better", skill("granny-knot", "Left over right, twice.", "")[0]) }, "its folder has changed"},
		{"removed", func(p *place) {
			p.bring("away", tree.Edit{Path: "skills/granny-knot/SKILL.md", Remove: true}, tree.Edit{Path: "skills/granny-knot/capability.yaml", Remove: true})
		}, "it is not in force any more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, id := unusedKnot(t)
			c.change(p)
			w, err := p.On(nil)
			p.OK(err)
			for range 2 { // a dry run withdraws nothing
				got, err := gc.Run(t.Context(), w, true)
				p.OK(err)
				got = about("granny-knot", got)
				want := gc.Open
				if c.want != "" {
					want = gc.WouldWithdraw
				}
				if len(got) != 1 || got[0].Outcome != want || p.pull(id).State != forge.Open {
					t.Errorf("dry: %+v", got)
				}
			}
			got := about("granny-knot", p.collect())
			if c.want == "" {
				if len(got) != 1 || got[0].Outcome != gc.Open || got[0].Proposal != id {
					t.Errorf("%+v", got)
				}
				return
			}
			if len(got) != 1 || got[0].Outcome != gc.Withdrawn || got[0].Proposal != id || !strings.Contains(strings.Join(got[0].Reasons, "\n"), c.want) {
				t.Fatalf("%+v", got)
			}
			if closed := p.pull(id); closed.State != forge.Closed || closed.Why != "withdrawn" {
				t.Errorf("%s %s", closed.State, closed.Why)
			}
			if again := p.collect(); slices.ContainsFunc(again, func(r gc.Result) bool { return r.Outcome != gc.Kept }) {
				t.Errorf("again: %+v", again)
			}
			w, err = p.On(nil)
			p.OK(err)
			_, err = w.Forge.Reopen(t.Context(), id, forge.Actor{Name: "ada"}, p.Clock)
			p.OK(err)
			if p.collect(); p.pull(id).State != forge.Open {
				t.Error("withdrawn against a person")
			}
		})
	}
}

// TestExpiredIsProposedAgain: a proposal that expired or was withdrawn settles its finding for as long as it would
// have waited. Then any number of engines open one other. A rejected one settles it for good.
func TestExpiredIsProposedAgain(t *testing.T) {
	p, first := unusedKnot(t)
	seen := []string{first}
	for _, why := range []string{"expired", "withdrawn"} {
		p.end(seen[len(seen)-1], why)
		if got := p.collect(); len(got) != 1 || got[0].Outcome != gc.Settled {
			t.Fatalf("just %s: %+v", why, got)
		}
		p.Clock = p.Clock.Add(8 * 24 * time.Hour)
		p.sideBySide(3)
		got := p.collect()
		if len(got) != 1 || got[0].Outcome != gc.Open || slices.Contains(seen, got[0].Proposal) || len(p.Pulls()) != len(seen)+1 {
			t.Fatalf("%s: %+v, %d proposals", why, got, len(p.Pulls()))
		}
		seen = append(seen, got[0].Proposal)
	}
	p.end(seen[2], "rejected")
	p.Clock = p.Clock.Add(90 * 24 * time.Hour)
	p.record("reef-knot", trial.Loaded)
	if got := p.collect(); len(got) != 1 || got[0].Outcome != gc.Settled || len(p.Pulls()) != 3 {
		t.Errorf("rejected: %+v", got)
	}
}

// TestHarmIsNewEvidence: that missions end worse with a capability is proposed although its archiving was
// rejected when it was only not linked; not while that proposal is open.
func TestHarmIsNewEvidence(t *testing.T) {
	for _, rejected := range []bool{true, false} {
		p := begin(t, last(knots(20, 30, "bowline", "clove")))
		p.missions(31, trial.Success, "bowline")
		first := p.collect()
		if len(first) != 1 || first[0].Outcome != gc.Proposed {
			t.Fatalf("%+v", first)
		}
		if rejected {
			p.end(first[0].Proposal, "rejected")
		}
		p.missions(20, trial.Failure, "clove")
		p.Clock = p.Clock.Add(time.Hour)
		p.missions(20, trial.Success, "bowline")
		got := p.collect()
		if len(got) != 1 || (got[0].Outcome == gc.Proposed) != rejected || (got[0].Proposal != first[0].Proposal) != rejected {
			t.Fatalf("rejected %v: %+v", rejected, got)
		}
		if !rejected {
			continue
		}
		p.end(got[0].Proposal, "rejected")
		if again := p.collect(); len(again) != 1 || again[0].Outcome != gc.Settled {
			t.Errorf("%+v", again)
		}
	}
}
