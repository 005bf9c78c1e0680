package audit_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/audit/maintain"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
)

// maintained folds closed proposals and drops their refs, as two runs do.
func (d *world) maintained() maintain.Outcome {
	d.Helper()
	var last maintain.Outcome
	for range 2 {
		cur, err := d.Session(d.Context())
		d.OK(err)
		last, err = maintain.Run(d.Context(), cur, maintain.Options{})
		d.OK(err)
		d.Clock = d.Clock.Add(journal.Settling)
	}
	return last
}

// TestVerifyFolded: folded journals are verified as before.
func TestVerifyFolded(t *testing.T) {
	d := newWorld(t)
	d.merged(d.approved(skill("bowline", "Pull.")), nil)
	d.merged(d.approved(skill("reef-knot", "Pull.")), nil)
	before := d.verify()
	if out := d.maintained(); out.Drops.Removed != 2 {
		t.Fatalf("%+v", out)
	}
	after := d.verify()
	if after.Broken != nil || after.Journals != before.Journals || after.Reviews != before.Reviews || after.Merges != before.Merges {
		t.Errorf("before %+v, after %+v, broken %+v", before, after, after.Broken)
	}
}

// TestVerifyFoldedDamage: a false record, and one that keeps nothing, is a break.
func TestVerifyFoldedDamage(t *testing.T) {
	for name, c := range map[string]struct {
		change func(map[string]any, tree.Hash)
		reason string
	}{
		"another head": {func(v map[string]any, main tree.Hash) { v["head"] = main.String() }, "nothing keeps"},
		"a false word": {func(v map[string]any, _ tree.Hash) { v["summary"].(map[string]any)["title"] = "Trust me" }, "summary differs from its journal"},
		"no version":   {func(v map[string]any, _ tree.Hash) { delete(v, "v") }, "not a journal"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newWorld(t)
			main := d.merged(d.approved(skill("bowline", "Pull.")), nil)
			d.maintained()
			d.tampered("refs/assent/closed/2026", func(v map[string]any) { c.change(v, main) })
			if b := d.verify().Broken; b == nil || b.Rule != audit.RuleJournal || !strings.Contains(b.Reason, c.reason) {
				t.Errorf("broken: %+v", b)
			}
		})
	}
}

// tampered changes the records of a line.
func (d *world) tampered(ref string, change func(map[string]any)) {
	d.Helper()
	at, err := d.Repo.Ref(ref)
	d.OK(err)
	c, err := d.Repo.Commit(at)
	d.OK(err)
	view, err := d.Repo.Snapshot(at)
	d.OK(err)
	var edits []tree.Edit
	d.OK(tree.Files(view, "", func(e tree.Entry) error {
		data, err := d.Repo.Blob(e.Hash)
		d.OK(err)
		var v map[string]any
		d.OK(json.Unmarshal(data, &v))
		change(v)
		data, err = json.Marshal(v)
		edits = append(edits, tree.Edit{Path: e.Path, Content: data})
		return err
	}))
	c.Tree, err = d.Repo.WriteTree(c.Tree, edits)
	d.OK(err)
	c.Parents = []tree.Hash{at}
	h, err := d.Repo.WriteCommit(c, nil)
	d.OK(err)
	d.OK(d.Repo.Update(gitstore.RefUpdate{Name: ref, Old: at, New: h}))
}
