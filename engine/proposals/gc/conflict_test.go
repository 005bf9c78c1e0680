package gc_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/proposals/gc"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// TestConflict: two skills that demand opposite things have one proposal with both sentences. Rejected, it
// is opened again only for other sentences.
func TestConflict(t *testing.T) {
	p := begin(t, last(append(skill("bowline", "Always wet the rope first.", ""), skill("clove", "Never wet the rope first.", "")...)))
	got := of(gc.Conflict, p.collect())
	if len(got) != 1 || got[0].Outcome != gc.Proposed || len(p.Pulls()) != 1 {
		t.Fatalf("%+v", got)
	}
	pull := p.Pulls()[0]
	for _, want := range []string{"Always wet", "Never wet", "assent update " + pull.ID, "reject"} {
		if w, err := p.On(nil); err != nil {
			t.Fatal(err)
		} else if pull, err := w.Forge.Get(t.Context(), pull.ID); err != nil || !strings.Contains(pull.Body, want) {
			t.Errorf("lacks %q: %s %v", want, pull.Body, err)
		}
	}
	if again := of(gc.Conflict, p.collect()); again[0].Outcome != gc.Open || len(p.Pulls()) != 1 {
		t.Errorf("again: %+v", again)
	}
	p.reject(pull.ID)
	p.bring("say more", skill("clove", "Never wet the rope first. It is a pole hitch.", "")[0])
	if again := of(gc.Conflict, p.collect()); again[0].Outcome != gc.Settled {
		t.Errorf("the same sentences: %+v", again)
	}
	p.bring("say other things", skill("clove", "Never wax the rope.", "")[0], skill("bowline", "Always wax the rope.", "")[0])
	if again := of(gc.Conflict, p.collect()); again[0].Outcome != gc.Proposed || again[0].Proposal == pull.ID {
		t.Errorf("other sentences: %+v", again)
	}
	p.merge(of(gc.Conflict, p.collect())[0].Proposal)
	if again := of(gc.Conflict, p.collect()); len(again) != 0 {
		t.Errorf("dropped: %+v", again)
	}
}

// TestConflictSettledOtherwise: if something needs the one skill, the proposal is about the other one.
func TestConflictSettledOtherwise(t *testing.T) {
	for _, needed := range []string{"bowline", "clove"} {
		p := begin(t, last(append(append(skill("bowline", "Always wet the rope first.", ""), skill("clove", "Never wet the rope first.", "")...),
			skill("moor", "Tie up.", "requires: {capabilities: ["+needed+"]}\n")...)))
		p.collect()
		w, err := p.On(nil)
		p.OK(err)
		all := p.Pulls()
		if len(all) != 1 {
			t.Fatalf("%+v", all)
		}
		files, err := w.Repo.Snapshot(all[0].Head)
		p.OK(err)
		if there, err := tree.Exists(files, "skills/"+needed); err != nil || !there || strings.Contains(all[0].Title, "drop "+needed) {
			t.Errorf("%s is needed: %s, %v", needed, all[0].Title, err)
		}
	}
}

// TestConflictOfMissions: two skills that help alone and harm together have a proposal.
func TestConflictOfMissions(t *testing.T) {
	p := begin(t, last(append(skill("bowline", "Make an eye.", ""), skill("clove", "Wind it twice.", "")...)))
	p.missions(40, trial.Failure, "bowline", "clove")
	p.Clock = p.Clock.Add(time.Hour)
	p.missions(40, trial.Success, "bowline")
	p.Clock = p.Clock.Add(time.Hour)
	if got := of(gc.Conflict, p.collect()); len(got) != 0 {
		t.Fatalf("it may be clove alone: %+v", got)
	}
	p.missions(40, trial.Success, "clove")
	got := of(gc.Conflict, p.collect())
	if len(got) != 1 || got[0].Outcome != gc.Proposed || !strings.Contains(strings.Join(got[0].Reasons, "\n"), "ended worse with both") {
		t.Errorf("%+v", got)
	}
	if again := of(gc.Conflict, p.collect()); len(again) != 1 || again[0].Outcome != gc.Open {
		t.Errorf("%+v", again)
	}
}
