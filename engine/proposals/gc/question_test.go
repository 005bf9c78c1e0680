package gc_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/followup"
	"github.com/assent-dev/assent/engine/proposals/gc"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// contrary are two skills that contradict each other.
func contrary() []tree.Edit {
	return last(append(skill("bowline", "Always wet the rope first.", ""), skill("clove", "Never wet the rope first.", "")...))
}

// TestConflictWhole: one proposal has all contradictions of two skills. A rejection stands while none is added.
func TestConflictWhole(t *testing.T) {
	p := begin(t, last(append(skill("bowline", "Always wet the rope first.\n\nNever cut the long end.", ""), skill("clove", "Never wet the rope first.\n\nAlways cut the long end.", "")...)))
	got := of(gc.Conflict, p.collect())
	if len(got) != 1 || len(p.Pulls()) != 1 {
		t.Fatalf("%+v", got)
	}
	body := p.pull(got[0].Proposal).Body
	for _, want := range []string{"Always wet", "Never wet", "Always cut", "Never cut"} {
		if !strings.Contains(body, want) {
			t.Errorf("lacks %q: %s", want, body)
		}
	}
	p.end(got[0].Proposal, "rejected")
	p.bring("cut nothing", skill("clove", "Never wet the rope first.", "")[0])
	if again := of(gc.Conflict, p.collect()); len(again) != 1 || again[0].Outcome != gc.Settled {
		t.Errorf("less of the same: %+v", again)
	}
	p.bring("wax", skill("clove", "Never wet the rope first.\n\nNever wax the rope.", "")[0], skill("bowline", "Always wet the rope first.\n\nAlways wax the rope.", "")[0])
	again := of(gc.Conflict, p.collect())
	if len(again) != 1 || again[0].Outcome != gc.Proposed {
		t.Fatalf("more: %+v", again)
	}
	if body := p.pull(again[0].Proposal).Body; !strings.Contains(body, "Never wet") || !strings.Contains(body, "Never wax") {
		t.Errorf("lacks one: %s", body)
	}
}

// TestConflictAsksAboutTheNewer: the proposal is about the skill that came last, also if the other one changed
// since; about an older one only if missions speak against it, or if something needs the newer. It says which it is,
// why, and that an approval removes it.
func TestConflictAsksAboutTheNewer(t *testing.T) {
	for _, c := range []struct {
		name, want, why string
		more            []tree.Edit
		after           func(*place)
	}{
		{"newer", "clove", "it is the newer one", nil, func(*place) {}},
		{"the older changed", "clove", "it is the newer one", nil, func(p *place) {
			p.bring("say more", skill("bowline", "Always wet the rope first. It holds better.", "")[0])
		}},
		{"the older harms", "bowline", "missions speak", nil, func(p *place) {
			p.missions(20, trial.Failure, "bowline")
			p.Clock = p.Clock.Add(time.Hour)
			p.missions(20, trial.Success, "clove")
		}},
		{"the newer is needed", "bowline", "that stays: moor requires it", nil, func(p *place) {
			p.bring("moor", skill("moor", "Tie up.", "requires: {capabilities: [clove]}\n")...)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := begin(t, skill("bowline", "Always wet the rope first.", ""))
			p.Clock = p.Clock.Add(time.Hour)
			p.bring("clove", skill("clove", "Never wet the rope first.", "")...)
			p.Clock = p.Clock.Add(time.Hour)
			c.after(p)
			got := of(gc.Conflict, p.collect())
			if len(got) != 1 || got[0].Outcome != gc.Proposed || got[0].Capability != c.want {
				t.Fatalf("%+v", got)
			}
			pull := p.pull(got[0].Proposal)
			for _, want := range []string{c.why, "removes skills/" + c.want + "**", "this skill: skills/" + c.want + ","} {
				if !strings.Contains(pull.Body, want) {
					t.Errorf("lacks %q: %s", want, pull.Body)
				}
			}
			if !strings.HasPrefix(pull.Title, "drop "+c.want+",") {
				t.Error(pull.Title)
			}
			if again := of(gc.Conflict, p.collect()); len(again) != 1 || again[0].Outcome != gc.Open || again[0].Capability != c.want {
				t.Errorf("again: %+v", again)
			}
		})
	}
}

// TestConflictWithdrawn: an open question about a conflict that is gone, or that cannot be answered so any more, is
// withdrawn; with other content it is asked again at once. One that a person changed stays.
func TestConflictWithdrawn(t *testing.T) {
	for _, c := range []struct {
		name, want string
		after      func(*place, string)
		again      string // the outcome afterwards, "" for none
	}{
		{"nothing happened", "", func(*place, string) {}, gc.Open},
		{"the other says it no more", "does not contradict", func(p *place, _ string) {
			p.bring("reword", skill("bowline", "Wet the rope if you like.", "")[0])
		}, ""},
		{"the other went", "bowline is not active", func(p *place, _ string) {
			p.bring("away", tree.Edit{Path: "skills/bowline/SKILL.md", Remove: true}, tree.Edit{Path: "skills/bowline/capability.yaml", Remove: true})
		}, ""},
		{"it changed", "clove has changed since", func(p *place, _ string) {
			p.bring("say more", skill("clove", "Never wet the rope first. It is a pole hitch.", "")[0])
		}, gc.Open},
		{"it is needed", "moor requires it", func(p *place, _ string) {
			p.bring("moor", skill("moor", "Tie up.", "requires: {capabilities: [clove]}\n")...)
		}, gc.Settled},
		{"a person reworded it", "", func(p *place, id string) {
			p.reword(id, skill("clove", "Wet no rope.", ""))
			p.bring("reword", skill("bowline", "Wet the rope if you like.", "")[0])
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := begin(t, contrary())
			id := of(gc.Conflict, p.collect())[0].Proposal
			c.after(p, id)
			got := of(gc.Conflict, p.collect())
			at := slices.IndexFunc(got, func(r gc.Result) bool { return r.Outcome == gc.Withdrawn })
			switch {
			case c.want == "":
				if at >= 0 || p.pull(id).State != forge.Open {
					t.Errorf("%+v", got)
				}
			case at < 0 || got[at].Proposal != id || !strings.Contains(strings.Join(got[at].Reasons, "\n"), c.want) || p.pull(id).Why != "withdrawn":
				t.Errorf("%+v", got)
			}
			again := of(gc.Conflict, p.collect())
			if (len(again) > 0) != (c.again != "") || len(again) > 0 && again[0].Outcome != c.again {
				t.Errorf("again: %+v", again)
			}
		})
	}
}

// reword puts content into a proposal, as a person does with update.
func (p *place) reword(id string, edits []tree.Edit) {
	p.Helper()
	w, err := p.On(nil)
	p.OK(err)
	_, err = propose.Update(p.Context(), w, id, propose.Request{Edits: edits, By: forge.Actor{Name: "ada"}, Author: gitstore.Person{Name: "ada", Email: "ada@example.org", When: p.Clock}})
	p.OK(err)
}

// TestRestoreWithdrawn: an open proposal to restore is withdrawn when nothing needs the capability any more, and when
// it came back another way.
func TestRestoreWithdrawn(t *testing.T) {
	for _, back := range []bool{false, true} {
		cases := func(name string) tree.Edit {
			return tree.Edit{Path: "skills/" + name + "/tests.yaml", Content: []byte("cases:\n  - {name: ties, input: {rope: 1}, expect: {equals: {knot: 1}}}\n")}
		}
		p := begin(t, world([]tree.Edit{cases("granny-knot"), cases("reef-knot")}))
		p.merge(p.collect()[0].Proposal)
		become := func(version, status string) {
			p.bring("reef-knot is "+status, tree.Edit{Path: "skills/reef-knot/capability.yaml", Content: []byte("kind: skill\nversion: " + version + "\nstatus: " + status + "\nsupersedes: granny-knot\n")})
		}
		become("1.0.1", "deprecated")
		become("1.0.2", "retired")
		got := of(gc.Restore, p.collect())
		if len(got) != 1 || got[0].Outcome != gc.Proposed {
			t.Fatalf("%+v", got)
		}
		id, want := got[0].Proposal, "its test cases are covered"
		if again := of(gc.Restore, p.collect()); len(again) != 1 || again[0].Outcome != gc.Open || again[0].Proposal != id {
			t.Fatalf("%+v", again)
		}
		if back {
			want = "it is in force again"
			p.bring("back", append(skill("granny-knot", "Twice the same way.", ""), cases("granny-knot"))...)
		} else {
			p.bring("another", append(skill("thief-knot", "Left over right, ends across.", "supersedes: reef-knot\n"), cases("thief-knot"))...)
		}
		got = of(gc.Restore, p.collect())
		if len(got) != 1 || got[0].Outcome != gc.Withdrawn || got[0].Proposal != id || !strings.Contains(got[0].Reasons[0], want) || p.pull(id).Why != "withdrawn" {
			t.Errorf("%+v", got)
		}
		if again := of(gc.Restore, p.collect()); len(again) != 0 {
			t.Errorf("again: %+v", again)
		}
	}
}

// TestFollowUpWithdrawn: a question after a repair that is taken back is withdrawn, and not while it holds.
func TestFollowUpWithdrawn(t *testing.T) {
	tool := func(name, record string) []tree.Edit {
		edits := append(skill(name, "It ties.", ""), tree.Edit{Path: "skills/" + name + "/scripts/main.py", Content: []byte("print(1)\n")})
		edits[1].Content = []byte("kind: tool\nversion: 1.0.0\nstatus: active\nrun: {runtime: python, entry: scripts/main.py}\ninput: {type: object}\n" + record)
		return edits
	}
	p := begin(t, slices.Concat(tool("tie", ""), tool("tie-2", "supersedes: tie\n"), skill("advice", "Mind the end.", "applies_to: [tie]\n")))
	w, err := p.On(nil)
	p.OK(err)
	cur, err := w.Session(t.Context())
	p.OK(err)
	due, err := followup.Due(t.Context(), cur)
	p.OK(err)
	asked, err := followup.Ask(t.Context(), w, due[0])
	p.OK(err)
	if got := of(gc.FollowUp, p.collect()); !asked.Opened || len(got) != 0 {
		t.Fatalf("%+v %+v", asked, got)
	}
	var away []tree.Edit
	for _, e := range tool("tie-2", "") {
		away = append(away, tree.Edit{Path: e.Path, Remove: true})
	}
	p.bring("no repair", away...)
	got := of(gc.FollowUp, p.collect())
	if len(got) != 1 || got[0].Outcome != gc.Withdrawn || p.pull(asked.Proposal).Why != "withdrawn" {
		t.Errorf("%+v", got)
	}
}
