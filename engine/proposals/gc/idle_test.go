package gc_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/proposals/gc"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/triallog"
	"github.com/assent-dev/assent/engine/workspace/worldtest"
)

// record records that a capability was loaded, at the time of the place.
func (p *place) record(name string, level trial.Level) {
	p.Helper()
	w, err := p.On(nil)
	p.OK(err)
	cur, err := w.Session(p.Context())
	p.OK(err)
	now := func() time.Time { return p.Clock }
	_, err = triallog.New(w.Repo, cur.ID(), now).Record(p.Context(), trial.Observation{At: p.Clock.Truncate(time.Second), Source: trial.Engine, Level: level, Capability: name})
	p.OK(err)
}

// idleWorld has granny-knot, which an agent made, and reef-knot, which a person made.
func idleWorld(more ...[]tree.Edit) []tree.Edit {
	return last(world(append([][]tree.Edit{
		skill("granny-knot", "Right over left, twice.", ""),
		skill("reef-knot", "Right over left, left over right.", ""),
		{{Path: "policies/retention.yaml", Content: []byte("unused: 30d\n")}},
	}, more...)...))
}

// What an agent made is proposed for archiving if the trials say that nobody used it: neither what
// a person made, nor where too little was recorded to know.
func TestUnused(t *testing.T) {
	listed := func(p *place) { p.record("granny-knot", trial.Listed) }
	other := func(p *place) { p.record("reef-knot", trial.Loaded) }
	nothing := func(*place) {}
	for _, c := range []struct {
		name                string
		edits               []tree.Edit
		before, within, end func(*place) // 20 days before the period of 30 days, 10 days into it, and at its end
		want                string       // an outcome, a reason, or "" for no candidate
	}{
		{"unused", idleWorld(), other, other, listed, gc.Proposed},
		{"its last use was before", idleWorld(), func(p *place) { p.record("granny-knot", trial.Followed) }, other, nothing, gc.Proposed},
		{"used", idleWorld(), other, func(p *place) { p.record("granny-knot", trial.Loaded) }, other, ""},
		{"nothing was recorded before", idleWorld(), nothing, other, other, ""},
		{"nothing was recorded since", idleWorld(), other, nothing, nothing, ""},
		{"required", idleWorld(skill("moor-boat", "Tie it up.", "requires: {capabilities: [granny-knot]}\n")), other, other, nothing, "moor-boat requires it"},
		{"named", idleWorld(skill("moor-boat", "Use `granny_knot` here.", "")), other, other, nothing, "names it"},
		{"alone with a test", idleWorld([]tree.Edit{{Path: "skills/granny-knot/tests.yaml", Content: []byte("cases:\n  - {name: ties, input: {rope: 1}, expect: {equals: {knot: 1}}}\n")}}), other, other, nothing, "it alone has its tests: 1"},
		{"changed lately", idleWorld([]tree.Edit{{Path: "policies/retention.yaml", Content: []byte("unused: 59d\n")}}), nothing, other, nothing, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := begin(t, c.edits)
			c.before(p)
			p.Clock = p.Clock.Add(30 * 24 * time.Hour)
			c.within(p)
			p.Clock = p.Clock.Add(10 * 24 * time.Hour)
			c.end(p)
			got := p.collect()
			if c.want == "" {
				if len(got) != 0 || len(p.Pulls()) != 0 {
					t.Errorf("%+v", got)
				}
				return
			}
			if len(got) != 1 || got[0].Capability != "granny-knot" || got[0].Outcome != c.want && !strings.Contains(strings.Join(got[0].Reasons, "\n"), c.want) {
				t.Fatalf("%+v, want %q", got, c.want)
			}
			if got[0].Outcome == gc.Proposed && (len(p.Pulls()) != 1 || !strings.Contains(p.Pulls()[0].Title, ", which ")) {
				t.Errorf("%+v", p.Pulls())
			}
		})
	}
}

// An unused capability goes if another way to do the same has its tests too, and stays if none has.
func TestUnusedWithSiblings(t *testing.T) {
	cases := []byte("cases:\n  - {name: ties, input: {rope: 1}, expect: {equals: {knot: 1}}}\n")
	more := []byte("cases:\n  - {name: ties, input: {rope: 1}, expect: {equals: {knot: 1}}}\n  - {name: holds, input: {rope: 2}, expect: {equals: {knot: 2}}}\n")
	for _, c := range []struct {
		own  []byte
		want string
	}{{cases, gc.Proposed}, {more, gc.Kept}} {
		p := begin(t, idleWorld(
			skill("knot", "Tie.", ""),
			skill("granny-knot", "Right over left, twice.", "implements: knot\n"),
			skill("reef-knot", "Right over left, left over right.", "implements: knot\n"),
			[]tree.Edit{{Path: "skills/granny-knot/tests.yaml", Content: c.own}, {Path: "skills/reef-knot/tests.yaml", Content: cases}},
		))
		p.record("reef-knot", trial.Loaded)
		p.Clock = p.Clock.Add(40 * 24 * time.Hour)
		p.record("reef-knot", trial.Loaded)
		if got := p.collect(); len(got) != 1 || got[0].Outcome != c.want {
			t.Errorf("%s: %+v", c.want, got)
		}
	}
}

// TestExamples: what the first commit of the workspace added to the learned lists, as init does for its examples, no agent
// brought in: it is not unused, however long nobody used it.
func TestExamples(t *testing.T) {
	p := &place{worldtest.Begin(t, []string{"scout"}, append(idleWorld(), tree.Edit{Path: "soul/scout/SOUL.md", Content: []byte(learnedKnot)})...)}
	p.Clock = p.Clock.Add(40 * 24 * time.Hour)
	p.record("reef-knot", trial.Loaded)
	p.Clock = p.Clock.Add(40 * 24 * time.Hour)
	p.record("reef-knot", trial.Loaded)
	count := func() int {
		w, err := p.On(nil)
		p.OK(err)
		cur, err := w.Session(p.Context())
		p.OK(err)
		n, err := workspace.Synthesised(cur)
		p.OK(err)
		return n
	}
	if got := p.collect(); len(got) != 0 || count() != 0 {
		t.Errorf("%d, %+v", count(), got)
	}
	p.bring("a hitch", skill("clove-hitch", "Wind it round the pole twice.", "")...)
	if count() != 1 {
		t.Errorf("%d after an agent brought one in", count())
	}
}
