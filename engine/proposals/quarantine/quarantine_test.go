package quarantine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/proposals/approve"
	"github.com/assent-dev/assent/engine/proposals/merge"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/proposals/quarantine"
	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/worldtest"
)

// world is a workspace with one composed tool, which needs no sandbox.
type world struct {
	*worldtest.World
	quarantine.Keeper
}

func begin(t *testing.T) world {
	t.Helper()
	d := worldtest.NewWith(t, worldtest.Untested, "scout")
	cur, err := d.Session(t.Context())
	d.OK(err)
	return world{d, quarantine.Keeper{W: d.Workspace, Store: workspace.HealthOf(cur), Agent: "scout"}}
}

// edits returns the tool; its answer is main's.
func edits(version, answer string) []tree.Edit {
	var out []tree.Edit
	for path, text := range map[string]string{
		"SKILL.md":          "---\nname: tie\ndescription: Says which knot holds a boat of a given length at a pier. Use it before mooring.\n---\n\n# Tie\n\nCall it by name.\n",
		"capability.yaml":   "kind: tool\nversion: " + version + "\nlayer: composed\nstatus: active\nrun: {runtime: starlark, entry: scripts/main.star}\ninput: {type: object}\n",
		"scripts/main.star": "def main(input):\n    return " + answer + "\n",
		"tests.yaml":        "cases:\n  - {name: a boat, input: {}, expect: {equals: bowline}, tags: [smoke]}\n",
	} {
		out = append(out, tree.Edit{Path: "skills/tie/" + path, Content: []byte(text), Mode: tree.Regular})
	}
	slices.SortFunc(out, func(a, b tree.Edit) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// merged brings a version of the tool into force.
func (w world) merged(edits []tree.Edit) {
	w.Helper()
	out, err := propose.Open(w.Context(), w.Workspace, w.World.Request(edits))
	w.OK(err)
	if out.Diagnostics.HasErrors() {
		w.Fatal(out.Diagnostics)
	}
	_, err = approve.Run(w.Context(), w.Workspace, approve.Decision{Proposal: out.Pull.ID, Decision: review.Approve, Signer: w.Ada})
	w.OK(err)
	done, err := merge.Run(w.Context(), w.Workspace, out.Pull.ID, forge.Actor{Name: "ada"}, false)
	w.OK(err)
	if !done.Merged {
		w.Fatal(done.Refused)
	}
}

func (w world) now() (workspace.Session, quarantine.Subject) {
	w.Helper()
	cur, err := w.World.Session(w.Context())
	w.OK(err)
	all, err := quarantine.Survey(w.Context(), cur, w.Store, w.World.Now())
	w.OK(err)
	if len(all) != 1 || all[0].Name != "tie" {
		w.Fatalf("%+v", all)
	}
	return cur, all[0]
}

// check runs the tests and follows them up.
func (w world) check(asked bool) (quarantine.Checked, []quarantine.Followed) {
	w.Helper()
	cur, s := w.now()
	checked, err := w.Check(w.Context(), cur, []quarantine.Subject{s}, asked)
	w.OK(err)
	followed, err := w.FollowAll(w.Context(), cur, []quarantine.Subject{checked[0].Subject}, false)
	w.OK(err)
	return checked[0], followed
}

func (w world) pull(id string) forge.Pull {
	w.Helper()
	p, err := w.Record.Get(w.Context(), id)
	w.OK(err)
	return p
}

// TestFollowed: a failing capability gets one proposal to repair it, however often it fails; when
// a repair is in force the proposal is withdrawn.
func TestFollowed(t *testing.T) {
	w := begin(t)
	w.merged(edits("1.0.0", `"granny"`))
	checked, followed := w.check(false)
	if checked.Before != health.Pending || checked.Health.State != health.Rejected || len(followed) != 1 || !followed[0].Opened {
		t.Fatalf("%+v, %+v", checked, followed)
	}
	id := followed[0].ID
	pull := w.pull(id)
	if pull.State != forge.Open || !strings.Contains(pull.Body, "- does not pass: `own: a boat`: `") || !strings.Contains(pull.Body, "assent update "+id+" FOLDER") {
		t.Fatalf("%s\n%s", pull.State, pull.Body)
	}
	if checked, followed := w.check(true); !strings.Contains(checked.Refused, "it is rejected") || len(followed) != 0 {
		t.Errorf("once more: %+v, %+v", checked, followed)
	}
	cur, s := w.now()
	if s.Health.Proposal != id || quarantine.ID(cur.ID(), "tie", s.Digest) != id || quarantine.ID(cur.ID(), "tie", "other") == id {
		t.Errorf("the proposal of %+v is %s", s.Health, id)
	}
	if states, err := quarantine.States(cur, w.Store); err != nil || states["skills/tie"] != health.Rejected {
		t.Errorf("%v, %v", states, err)
	}
	w.merged(edits("1.0.1", `"bowline"`))
	if checked, followed := w.check(false); checked.Health.State != health.Green || len(followed) != 1 || !followed[0].Withdrawn || followed[0].ID != id {
		t.Errorf("after the repair: %+v, %+v", checked, followed)
	}
	if p := w.pull(id); p.State != forge.Closed || p.Why != string(proposal.Withdrawn) {
		t.Errorf("the proposal is %s, %s", p.State, p.Why)
	}
	if _, followed := w.check(false); len(followed) != 0 {
		t.Errorf("and again: %+v", followed)
	}
}

// TestHealedAndIllAgain: a proposal that was withdrawn when the content was healthy is
// taken up again for the same content.
func TestHealedAndIllAgain(t *testing.T) {
	w := begin(t)
	w.merged(edits("1.0.0", `"bowline"`))
	fail := func() {
		t.Helper()
		cur, s := w.now()
		for range cur.Policies.Retention.DegradedAfter {
			_, _, err := w.Store.Note(t.Context(), trial.Observation{At: w.World.Now(), Source: trial.Engine, Level: trial.Followed, Capability: s.Name, Blob: s.Digest, Outcome: trial.Failure, Diagnosis: "what ada keeps to herself"}.Neat())
			w.OK(err)
		}
	}
	fail()
	checked, followed := w.check(false)
	if checked.Health.State != health.Red || len(followed) != 1 || !followed[0].Opened || strings.Contains(w.pull(followed[0].ID).Body, "herself") {
		t.Fatalf("%+v, %+v", checked, followed)
	}
	id := followed[0].ID
	if checked, followed := w.check(true); checked.Health.State != health.Green || len(followed) != 1 || !followed[0].Withdrawn {
		t.Fatalf("asked for by name: %+v, %+v", checked, followed)
	}
	fail()
	if _, followed := w.check(false); len(followed) != 1 || !followed[0].Opened || followed[0].ID != id || w.pull(id).State != forge.Open {
		t.Errorf("ill again: %+v, the proposal is %s", followed, w.pull(id).State)
	}
}

// TestRepairUponTheProposal: a repair pushed upon it is not withdrawn.
func TestRepairUponTheProposal(t *testing.T) {
	w := begin(t)
	w.merged(edits("1.0.0", `"granny"`))
	_, followed := w.check(false)
	id := followed[0].ID
	r := w.World.Request(edits("1.0.1", `"bowline"`))
	_, err := propose.Update(t.Context(), w.Workspace, id, r)
	w.OK(err)
	w.merged(edits("1.0.2", `"bow" + "line"`))
	if _, followed := w.check(false); len(followed) != 0 || w.pull(id).State != forge.Open {
		t.Errorf("%+v, the proposal is %s", followed, w.pull(id).State)
	}
}
