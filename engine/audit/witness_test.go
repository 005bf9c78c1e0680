package audit_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/checkpoint"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// checkpointed signs a checkpoint of the record, modified by change.
func (d *world) checkpointed(change func(*checkpoint.Checkpoint)) audit.Witness {
	d.Helper()
	_, point, err := audit.Checkpoint(d.Context(), d.Workspace, nil)
	d.OK(err)
	if change != nil {
		change(&point)
	}
	text, err := checkpoint.Sign(point, d.Ada)
	d.OK(err)
	return audit.Witness{Name: "kept", Text: text}
}

func (d *world) witnessed(w audit.Witness) *audit.Break {
	d.Helper()
	res, err := audit.Verify(d.Context(), d.Workspace, nil, w)
	d.OK(err)
	return res.Broken
}

// TestWitnessSaysOtherwise: a checkpoint that contradicts history is a break, regardless
// of its signer.
func TestWitnessSaysOtherwise(t *testing.T) {
	d := newWorld(t)
	d.merged(d.approved(skill("bowline", "Pull.")), nil)
	for name, c := range map[string]struct {
		change func(*checkpoint.Checkpoint)
		rule   string
	}{
		"nothing":   {nil, ""},
		"workspace": {func(c *checkpoint.Checkpoint) { c.Workspace = c.Main }, audit.RuleCheckpoint},
		"main":      {func(c *checkpoint.Checkpoint) { c.Main = c.Workspace }, audit.RuleCheckpointMain},
		"gone":      {func(c *checkpoint.Checkpoint) { c.Main = tree.Hash{1} }, audit.RuleCheckpointMain},
		"in force":  {func(c *checkpoint.Checkpoint) { c.InForce = c.Journals[0].Head }, audit.RuleCheckpointInForce},
		"journal":   {func(c *checkpoint.Checkpoint) { c.Journals[0].Events++ }, audit.RuleCheckpointJournal},
		"fold": {func(c *checkpoint.Checkpoint) {
			c.Folds = []checkpoint.Fold{{Ref: "refs/assent/closed/2026", Head: c.Main}}
		}, audit.RuleCheckpointJournal},
	} {
		b := d.witnessed(d.checkpointed(c.change))
		if (b == nil) != (c.rule == "") || b != nil && b.Rule != c.rule {
			t.Errorf("%s: %+v, want %q", name, b, c.rule)
		}
	}
	forged := d.checkpointed(nil)
	forged.Text = []byte(strings.Replace(string(forged.Text), `"commits": 2`, `"commits": 1`, 1))
	if b := d.witnessed(forged); b == nil || b.Rule != audit.RuleCheckpoint {
		t.Errorf("forged: %+v", b)
	}
}

// TestWitnessSigner: a witness known to the policies of its time remains one; a stranger
// does not count.
func TestWitnessSigner(t *testing.T) {
	d := newWorld(t)
	bob := d.bob()
	_, point, err := audit.Checkpoint(t.Context(), d.Workspace, nil)
	d.OK(err)
	text, err := checkpoint.Sign(point, bob)
	d.OK(err)
	by := audit.Witness{Name: "bob's", Text: text}
	cur, err := d.Session(t.Context())
	d.OK(err)
	first, err := d.Repo.Snapshot(cur.Genesis)
	d.OK(err)
	roles, err := first.Read("policies/roles.yaml")
	d.OK(err)
	id := d.proposed(proposal.Proposal{Goal: "without bob"}, tree.Edit{Path: "policies/roles.yaml", Content: roles})
	d.decided(id, d.Ada, review.Approve)
	d.decided(id, bob, review.Approve)
	d.merge(id)
	if b := d.witnessed(by); b != nil {
		t.Errorf("bob was known then: %+v", b)
	}
	_, point, err = audit.Checkpoint(t.Context(), d.Workspace, nil)
	d.OK(err)
	by.Text, err = checkpoint.Sign(point, bob)
	d.OK(err)
	if b := d.witnessed(by); b == nil || b.Rule != audit.RuleCheckpointSigner {
		t.Errorf("bob is known neither then nor now: %+v", b)
	}
}

// TestWitnessOfFolds: a line that was folded further still contains the state in a
// checkpoint, and a journal may move into a line.
func TestWitnessOfFolds(t *testing.T) {
	d := newWorld(t)
	d.merged(d.approved(skill("bowline", "Pull.")), nil)
	live := d.checkpointed(nil)
	d.maintained()
	folded := d.checkpointed(nil)
	d.merged(d.approved(skill("reef-knot", "Pull.")), nil)
	d.maintained()
	for _, w := range []audit.Witness{live, folded} {
		if b := d.witnessed(w); b != nil {
			t.Errorf("%+v", b)
		}
	}
}

// TestVerifyTrailers: the facts that a merge commit repeats for people must equal its
// attestation.
func TestVerifyTrailers(t *testing.T) {
	d := newWorld(t)
	d.claims = strings.NewReplacer("Approved-By: ada", "Approved-By: grace")
	commit := d.merged(d.approved(skill("bowline", "Pull.")), nil)
	if b := d.verify().Broken; b == nil || b.Rule != audit.RuleTrailers || b.Commit != commit || !strings.Contains(b.Reason, "grace") {
		t.Errorf("broken: %+v", b)
	}
}

// TestDivergedMain: the break says where and how a chain diverged from the checkpoint.
func TestDivergedMain(t *testing.T) {
	for name, c := range map[string]struct {
		now  []string // the commits on main instead of a, b and c
		says string
	}{
		"rolled back": {[]string{"a"}, "rolled back, 2 of 4 were dropped"},
		"dropped":     {[]string{"a", "c"}, "dropped, commit"},
		"reordered":   {[]string{"a", "c", "b"}, "reordered from place 3 on"},
		"put in":      {[]string{"a", "x", "b", "c"}, "was put in at place 3"},
		"replaced":    {[]string{"a", "x", "c"}, "was replaced by"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newWorld(t)
			begin, err := d.Repo.Ref(attest.MainRef)
			d.OK(err)
			d.says("a", "b", "c")
			w := d.checkpointed(nil)
			seen, err := d.Repo.Ref(attest.MainRef)
			d.OK(err)
			d.OK(d.Repo.Update(gitstore.RefUpdate{Name: attest.MainRef, Old: seen, New: begin}))
			d.says(c.now...)
			if b := d.witnessed(w); b == nil || b.Rule != audit.RuleCheckpointMain || !strings.Contains(b.Reason, c.says) {
				t.Errorf("%+v", b)
			}
		})
	}
}

// says adds a commit to main for each word; the word alone determines its time.
func (d *world) says(words ...string) {
	d.Helper()
	for _, word := range words {
		tip, err := d.Repo.Ref(attest.MainRef)
		d.OK(err)
		c, err := d.Repo.Commit(tip)
		d.OK(err)
		eve := gitstore.Person{Name: "Eve", Email: "eve@example.org", When: time.Date(2026, 4, 1, 0, int(word[0]), 0, 0, time.UTC)}
		h, err := d.Repo.WriteCommit(gitstore.Commit{Tree: c.Tree, Parents: []tree.Hash{tip}, Author: eve, Committer: eve, Message: word + "\n"}, nil)
		d.OK(err)
		d.OK(d.Repo.Update(gitstore.RefUpdate{Name: attest.MainRef, Old: tip, New: h}))
	}
}
