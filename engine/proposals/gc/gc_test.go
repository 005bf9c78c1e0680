package gc_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/gitstore/disktest"
	"github.com/assent-dev/assent/engine/proposals/approve"
	"github.com/assent-dev/assent/engine/proposals/gc"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace/worldtest"
)

// place is a workspace in a folder, at a time.
type place struct{ *worldtest.Place }

func skill(name, text, record string) []tree.Edit {
	dir := "skills/" + name + "/"
	return []tree.Edit{
		{Path: dir + "SKILL.md", Content: fmt.Appendf(nil, "---\nname: %s\ndescription: Says how a rope is tied. Use when a rope has to hold.\n---\n# Tie\n\n%s\n", name, text)},
		{Path: dir + "capability.yaml", Content: []byte("kind: skill\nversion: 1.0.0\n" + record)},
	}
}

// world is the initial content: granny-knot is deprecated, and reef-knot supersedes it.
func world(more ...[]tree.Edit) []tree.Edit {
	return slices.Concat(append([][]tree.Edit{
		skill("granny-knot", "Right over left, twice.", "status: deprecated\n"),
		skill("reef-knot", "Right over left, left over right. It replaces granny-knot.", "supersedes: granny-knot\n"),
		{{Path: "policies/retention.yaml", Content: []byte("deprecated: 30d\n")}},
	}, more...)...)
}

// learnedKnot is the soul of an agent that learned granny-knot.
const learnedKnot = "# Scout\n\n## Learned Capabilities\n\n### Capability: granny-knot\n**Learned**: 2026-01-01 · **Status**: active · **Verified By**: assent\n\n**Description**: Ties a rope.\n"

func begin(t *testing.T, edits []tree.Edit) *place {
	t.Helper()
	edits = last(append([]tree.Edit{{Path: "soul/scout/SOUL.md", Content: []byte(learnedKnot)}}, edits...))
	souls := slices.DeleteFunc(slices.Clone(edits), func(e tree.Edit) bool { return !strings.HasPrefix(e.Path, "soul/") })
	// What agents learned before the workspace began counts as theirs.
	p := &place{worldtest.BeginIn(t, []string{"scout"}, souls, edits...)}
	p.Clock = p.Clock.Add(40 * 24 * time.Hour)
	return p
}

// collect runs gc. A dry run before it says the same.
func (p *place) collect() []gc.Result {
	p.Helper()
	w, err := p.On(nil)
	p.OK(err)
	dry, err := gc.Run(p.Context(), w, true)
	p.OK(err)
	out, err := gc.Run(p.Context(), w, false)
	p.OK(err)
	for i, r := range dry {
		dry[i].Outcome = strings.NewReplacer(gc.Would, gc.Proposed, gc.WouldWithdraw, gc.Withdrawn).Replace(r.Outcome)
	}
	if a, b := fmt.Sprintf("%+v", dry), fmt.Sprintf("%+v", out); a != b {
		p.Errorf("the dry run said\n%s\nbut the run\n%s", a, b)
	}
	return out
}

// TestDryRunAtTheLimit: a dry run names as many archives as the run opens.
func TestDryRunAtTheLimit(t *testing.T) {
	p := begin(t, last(append(knots(20, 10, "bowline", "clove"), append(skill("moor", "Tie up.", ""),
		tree.Edit{Path: "policies/limits.yaml", Content: fmt.Appendf(nil, "open_proposals_per_agent: 1\n")})...)))
	p.missions(11, trial.Success, "moor")
	got := p.collect()
	if len(got) != 2 || got[0].Outcome != gc.Proposed || got[1].Outcome != gc.Kept || !strings.Contains(strings.Join(got[1].Reasons, ""), "the limit is 1") {
		t.Errorf("%+v", got)
	}
}

// reject closes a proposal as ada does: with her signature.
func (p *place) reject(id string) {
	p.Helper()
	w, err := p.On(nil)
	p.OK(err)
	_, err = approve.Run(p.Context(), w, approve.Decision{Proposal: id, Decision: review.Reject, Reason: "no", Signer: p.Ada})
	p.OK(err)
	p.OK(w.Forge.Close(p.Context(), id, forge.Closing{By: forge.Actor{Name: "ada"}, Why: "rejected", At: p.Clock}))
}

// A reason to keep a capability keeps it, and is reported.
func TestKept(t *testing.T) {
	for _, c := range []struct {
		name, want string
		after      time.Duration
		edits      []tree.Edit
	}{
		{"young", "it was changed on 2026-02-03; deprecated capabilities are kept for 30 days", -20 * 24 * time.Hour, world()},
		{"required", "moor-boat requires it", 0, world(skill("moor-boat", "Tie it up.", "requires: {capabilities: [granny-knot]}\n"))},
		{"optional", "moor-boat/capability.yaml:3 names it", 0, world(skill("moor-boat", "Tie it up.", "requires: {optional: [granny-knot]}\n"))},
		{"optional for its successor", "reef-knot can use it", 0, world(nil, []tree.Edit{{Path: "skills/reef-knot/capability.yaml", Content: []byte("kind: skill\nversion: 1.0.0\nsupersedes: granny-knot\nrequires: {optional: [granny-knot]}\n")}})},
		{"applied to", "advice applies to it", 0, world(skill("advice", "Think.", "applies_to: [granny-knot]\n"))},
		{"named in a text", "skills/moor-boat/SKILL.md:7 names it", 0, world(skill("moor-boat", "Use `granny_knot` here.", ""))},
		{"named in a soul", "soul/smith/SOUL.md:3 names it", 0, world([]tree.Edit{{Path: "soul/smith/SOUL.md", Content: []byte("# Smith\n\nI tie every granny-knot myself.\n")}})},
		{"named in a policy", "policies/retention.yaml:1 names it", 0, world([]tree.Edit{{Path: "policies/retention.yaml", Content: []byte("# granny-knot\ndeprecated: 30d\n")}})},
		{"alone with a test", "it has tests that reef-knot has not itself: 1", 0, world([]tree.Edit{{Path: "skills/granny-knot/tests.yaml", Content: []byte("cases:\n  - {name: ties, input: {rope: 1}, expect: {equals: {knot: 1}}}\n")}})},
		{"no successor", "nothing that is active supersedes it", 0, slices.Concat(skill("granny-knot", "Twice.", "status: deprecated\n"), []tree.Edit{{Path: "policies/retention.yaml", Content: []byte("deprecated: 30d\n")}})},
		{"retired lately", "it was changed on 2026-02-03; retired capabilities are kept for 30 days", -20 * 24 * time.Hour, world(retired())},
		{"retired, and it alone has its tests", "it alone has its tests: 1", 0, world(retired(), []tree.Edit{{Path: "skills/reef-knot/capability.yaml", Content: []byte("kind: skill\nversion: 1.0.0\n")}, {Path: "skills/granny-knot/tests.yaml", Content: []byte("cases:\n  - {name: ties, input: {rope: 1}, expect: {equals: {knot: 1}}}\n")}})},
		{"a successor that is not there yet", "nothing that is active supersedes it", 0, world(nil, []tree.Edit{{Path: "skills/reef-knot/capability.yaml", Content: []byte("kind: skill\nversion: 1.0.0\nstatus: testing\nsupersedes: granny-knot\n")}})},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := begin(t, last(c.edits))
			p.Clock = p.Clock.Add(c.after)
			got := p.collect()
			if len(got) != 1 || got[0].Outcome != gc.Kept || !strings.Contains(strings.Join(got[0].Reasons, "\n"), c.want) {
				t.Errorf("%+v, want %q", got, c.want)
			}
			if n := len(p.Pulls()); n != 0 {
				t.Errorf("%d proposals", n)
			}
		})
	}
}

// last keeps the last edit of each path.
func last(edits []tree.Edit) []tree.Edit {
	var out []tree.Edit
	for i, e := range edits {
		if !slices.ContainsFunc(edits[i+1:], func(o tree.Edit) bool { return o.Path == e.Path }) {
			out = append(out, e)
		}
	}
	return out
}

// Words that only contain the name, those of its successor and learned lists keep nothing,
// and a successor of the successor is one.
func TestProposed(t *testing.T) {
	p := begin(t, last(world(
		skill("moor-boat", "A granny-knots-book is of no use, nor is agranny-knot.", ""),
		skill("reef-knot", "Right over left.", "status: deprecated\nsupersedes: granny-knot\n"),
		skill("thief-knot", "Like granny-knot, but better.", "supersedes: reef-knot\n"),
	)))
	got := p.collect()
	if len(got) != 2 || got[0].Outcome != gc.Proposed || got[1].Outcome != gc.Kept || !strings.Contains(got[1].Reasons[0], "it supersedes granny-knot") {
		t.Fatalf("%+v", got)
	}
	w, err := p.On(nil)
	p.OK(err)
	pull, err := w.Forge.Get(t.Context(), got[0].Proposal)
	p.OK(err)
	files, err := w.Repo.Snapshot(pull.Head)
	p.OK(err)
	if there, err := tree.Exists(files, got[0].Path); err != nil || there {
		t.Errorf("%s is there still, %v", got[0].Path, err)
	}
	if pull.Author.Name != "assent" || !strings.Contains(pull.Body, "thief-knot supersedes it and is active, by way of reef-knot") {
		t.Errorf("by %s: %s", pull.Author, pull.Body)
	}
	if again := p.collect(); again[0].Outcome != gc.Open || len(p.Pulls()) != 1 {
		t.Errorf("again: %+v", again)
	}
}

// retired is granny-knot after its end.
func retired() []tree.Edit {
	return skill("granny-knot", "Right over left, twice.", "status: retired\n")
}

// What is retired is not called any more, so it goes without a successor, too.
func TestRetired(t *testing.T) {
	p := begin(t, last(slices.Concat(retired(), []tree.Edit{{Path: "policies/retention.yaml", Content: []byte("deprecated: 30d\n")}})))
	got := p.collect()
	if len(got) != 1 || got[0].Outcome != gc.Proposed || !strings.Contains(got[0].Reasons[0], "is retired, and nothing in its folder has changed since") {
		t.Fatalf("%+v", got)
	}
	if again := p.collect(); again[0].Outcome != gc.Open || len(p.Pulls()) != 1 {
		t.Errorf("again: %+v", again)
	}
}

// A declined proposal is not opened again until the content changes.
func TestDeclined(t *testing.T) {
	p := begin(t, world())
	first := p.collect()
	id := first[0].Proposal
	p.reject(id)
	if got := p.collect()[0]; got.Outcome != gc.Settled || got.Proposal != id || len(p.Pulls()) != 1 {
		t.Errorf("%+v", got)
	}
}

// sideBySide runs gc in n processes at once.
func (p *place) sideBySide(n int) {
	p.Helper()
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			w, err := p.On(nil)
			if err == nil {
				_, err = gc.Run(p.Context(), w, false)
			}
			if err != nil {
				p.Error(err)
			}
		})
	}
	all.Wait()
}

// Of any number of processes at once, one proposal comes.
func TestSideBySide(t *testing.T) {
	p := begin(t, world())
	p.sideBySide(6)
	if n := len(p.Pulls()); n != 1 {
		t.Errorf("%d proposals", n)
	}
}

// Killed at any disk operation, the next run has the same result.
func TestKilledAnywhere(t *testing.T) {
	p := begin(t, world())
	copied := func(disk gitstore.Disk) *place {
		q := &place{p.Copied(t)}
		if w, err := q.On(disk); err == nil {
			_, _ = gc.Run(t.Context(), w, false) // the killed process's answer is lost
		}
		return q
	}
	whole := &disktest.Disk{}
	copied(whole)
	ops := len(whole.Ops())
	if ops == 0 {
		t.Fatal("nothing was written")
	}
	for n := 1; n <= ops; n += 1 + ops/12 {
		q := copied(&disktest.Disk{DieAt: n})
		q.Unlock()
		w, err := q.On(nil)
		p.OK(err)
		got, err := gc.Run(t.Context(), w, false)
		if err != nil || len(got) != 1 || got[0].Outcome != gc.Proposed && got[0].Outcome != gc.Open || len(q.Pulls()) != 1 {
			t.Errorf("killed at %d of %d: %+v, %v", n, ops, got, err)
		}
	}
}
