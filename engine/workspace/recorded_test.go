package workspace_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/proposals/simulate"
)

// simulated simulates policies that need one approval more than possible.
func (d *world) simulated(most int, except string) simulate.Result {
	d.Helper()
	cur := d.current()
	next := cur.Policies
	next.Approvals.Tiers = map[policy.Tier][]policy.Requirement{}
	for tier := range cur.Policies.Approvals.Tiers {
		next.Approvals.Tiers[tier] = []policy.Requirement{{Role: policy.Ops, Count: 2}}
	}
	r, err := simulate.Run(d.Context(), cur, next, except, most, func(int, int) {})
	d.OK(err)
	return r
}

func (d *world) skipped(r simulate.Result, want map[string]string) {
	d.Helper()
	got := map[string]string{}
	for _, s := range r.Skipped {
		got[s.ID] = s.Why
	}
	if !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))) {
		d.Fatalf("skipped %v, want %v", got, want)
	}
	for id, why := range want {
		if !strings.Contains(got[id], why) {
			d.Errorf("%s is skipped because %q, want %q", id, got[id], why)
		}
	}
}

// A merge and an open proposal are simulated; the proposal that makes the change is not.
func TestSimulateAsksAboutAll(t *testing.T) {
	d := newWorld(t)
	merged := d.open(skill("bowline")...)
	d.approve(merged.ID)
	d.merge(merged.ID)
	open, asking := d.open(skill("sheepshank")...), d.open(skill("clove-hitch")...)
	r := d.simulated(0, asking.ID)
	states := map[string]string{}
	for _, diff := range r.Differences {
		states[diff.ID] = diff.State
		if diff.After.Outcome != policy.Waiting || diff.After.Waiting[policy.Ops] == 0 {
			t.Errorf("%s: %+v", diff.ID, diff.After)
		}
	}
	if want := map[string]string{merged.ID: "merged", open.ID: "open"}; !maps.Equal(states, want) || r.Judged != 2 {
		t.Errorf("judged %d, of which differ %v, want %v", r.Judged, states, want)
	}
	if i := slices.IndexFunc(r.Differences, func(x simulate.Difference) bool { return x.ID == merged.ID }); i < 0 || r.Differences[i].Before.Outcome != policy.Allowed {
		t.Errorf("the merge was not allowed by the policies that allowed it: %+v", r.Differences)
	}
	if r := d.simulated(1, ""); r.Judged != 1 || r.Left != 2 {
		t.Errorf("of three, the newest one: judged %d, left %d", r.Judged, r.Left)
	}
}

// A damaged proposal is named, and the others are still simulated.
func TestSimulateOverDamage(t *testing.T) {
	d := newWorld(t)
	whole, unread := d.open(skill("bowline")...), d.open(skill("sheepshank")...)
	d.put("refs/assent/pulls/"+unread.ID, d.Main())

	bare := d.Commit("A branch", []tree.Hash{d.Main()}, skill("clove-hitch")...)
	const id = "by-hand-k3v9q2mt"
	_, err := d.Forge.Open(d.Context(), forge.Opening{ID: id, Branch: forge.BranchPrefix + id, Base: "main", Head: bare, Title: "by hand", Author: forge.Actor{Name: "kublai"}, At: d.Tick()})
	d.OK(err)

	r := d.simulated(0, "")
	d.skipped(r, map[string]string{unread.ID: "journal", id: "no report"})
	if len(r.Differences) == 0 || !slices.ContainsFunc(r.Differences, func(x simulate.Difference) bool { return x.ID == whole.ID }) {
		t.Errorf("the proposal that is whole is not among %+v", r.Differences)
	}
}
