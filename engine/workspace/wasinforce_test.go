package workspace_test

import (
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/workspace"
)

// The answer that a commit was not in force is remembered until evidence arrives: no journal of a run
// makes each pass judge history again.
func TestNeverInForceIsRemembered(t *testing.T) {
	d := newWorld(t)
	genesis := d.Main()
	past := d.Straight("past the gate", skill("granny")...)
	d.Straight("taken back", tree.Edit{Path: "skills/granny/SKILL.md", Remove: true})
	d.merged(skill("bowline")...)
	was := func() bool {
		cur, err := d.Session(d.Context())
		d.OK(err)
		is, err := workspace.WasInForce(d.Context(), cur, past)
		d.OK(err)
		return is
	}
	if was() {
		t.Fatal("a commit past the gate was in force")
	}
	cur, err := d.Session(d.Context())
	d.OK(err)
	never, err := workspace.NeverInForce(cur, past)
	d.OK(err)
	if known, err := keys.WasInForce(cur.ID(), never); !known || err != nil {
		t.Errorf("the answer is not remembered: %v", err)
	}
	// The remembered answer is used, for this state of the journals only.
	if never, err = workspace.NeverInForce(cur, genesis); err != nil {
		t.Fatal(err)
	}
	d.OK(keys.SaveInForce(d.Context(), cur.ID(), never))
	if is, err := workspace.WasInForce(d.Context(), cur, genesis); is || err != nil {
		t.Errorf("the remembered answer is not used: %v", err)
	}
	d.open(skill("reef-knot")...)
	if is, err := workspace.WasInForce(d.Context(), cur, genesis); !is || err != nil {
		t.Errorf("the answer outlives the evidence: %v", err)
	}
}
