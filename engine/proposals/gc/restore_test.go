package gc_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/approve"
	"github.com/assent-dev/assent/engine/proposals/gc"
	"github.com/assent-dev/assent/engine/proposals/merge"
	"github.com/assent-dev/assent/engine/proposals/propose"
)

// merge approves and merges a proposal.
func (p *place) merge(id string) {
	p.Helper()
	w, err := p.On(nil)
	p.OK(err)
	_, err = approve.Run(p.Context(), w, approve.Decision{Proposal: id, Decision: review.Approve, Reason: "read it", Signer: p.Ada})
	p.OK(err)
	out, err := merge.Run(p.Context(), w, id, forge.Actor{Name: "ada"}, false)
	p.OK(err)
	if !out.Merged {
		p.Fatalf("%s is not merged: %s", id, out.Refused)
	}
}

// bring merges edits.
func (p *place) bring(goal string, edits ...tree.Edit) {
	p.Helper()
	w, err := p.On(nil)
	p.OK(err)
	out, err := propose.Open(p.Context(), w, propose.Request{
		Proposal: proposal.Proposal{Goal: goal}, Edits: edits, By: forge.Actor{Name: "scout"},
		Author: gitstore.Person{Name: "scout", Email: "scout@agents.invalid", When: p.Clock},
	})
	p.OK(err)
	if !out.Opened {
		p.Fatalf("%s: %v", goal, out.Diagnostics)
	}
	p.merge(out.Pull.ID)
}

// of returns the results of a kind.
func of(kind string, all []gc.Result) []gc.Result {
	return slices.DeleteFunc(slices.Clone(all), func(r gc.Result) bool { return r.Kind != kind })
}

// TestRestore: an archived capability is proposed for restoring, once, when the only one that has its test
// cases does not run any more; nothing is proposed while one does.
func TestRestore(t *testing.T) {
	cases := tree.Edit{Content: []byte("cases:\n  - {name: ties, input: {rope: 1}, expect: {equals: {knot: 1}}}\n")}
	of1, of2 := cases, cases
	of1.Path, of2.Path = "skills/granny-knot/tests.yaml", "skills/reef-knot/tests.yaml"
	p := begin(t, world([]tree.Edit{of1, of2}))
	archived := p.collect()[0].Proposal
	p.merge(archived)
	if got := p.collect(); len(got) != 0 {
		t.Fatalf("reef-knot covers the case: %+v", got)
	}
	for i, status := range []string{"deprecated", "retired"} {
		p.bring("reef-knot is "+status, tree.Edit{Path: "skills/reef-knot/capability.yaml", Content: fmt.Appendf(nil, "kind: skill\nversion: 1.0.%d\nstatus: %s\nsupersedes: granny-knot\n", i+1, status)})
	}
	got := of(gc.Restore, p.collect())
	if len(got) != 1 || got[0].Outcome != gc.Proposed || got[0].Capability != "granny-knot" || !strings.Contains(strings.Join(got[0].Reasons, "\n"), "reef-knot") {
		t.Fatalf("%+v", got)
	}
	id := got[0].Proposal
	if again := of(gc.Restore, p.collect()); len(again) != 1 || again[0].Outcome != gc.Open || again[0].Proposal != id {
		t.Errorf("again: %+v", again)
	}
	w, err := p.On(nil)
	p.OK(err)
	p.reject(id)
	if again := of(gc.Restore, p.collect()); len(again) != 1 || again[0].Outcome != gc.Settled {
		t.Errorf("rejected: %+v", again)
	}
	_, err = w.Forge.Reopen(t.Context(), id, forge.Actor{Name: "ada"}, p.Clock)
	p.OK(err)
	p.merge(id)
	w, err = p.On(nil)
	p.OK(err)
	cur, err := w.Session(t.Context())
	p.OK(err)
	if there, err := tree.Exists(cur.View, "skills/granny-knot/tests.yaml"); err != nil || !there {
		t.Errorf("granny-knot is not back: %v", err)
	}
	if got := of(gc.Restore, p.collect()); len(got) != 0 {
		t.Errorf("restored: %+v", got)
	}
}
