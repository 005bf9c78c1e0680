package attacks_test

import (
	"testing"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/workspace"
)

// The state of a proposal whose merge was forged is merged, since main has it. Readers of that state
// learn why it is not in force, also after a commit took it back; of an honest merge they learn nothing.
func TestForgedMergeIsNamed(t *testing.T) {
	d := newWorld(t)
	unforced := func(id string) string {
		cur, err := d.Session(d.Context())
		d.ok(err)
		pull, err := cur.Record.Get(d.Context(), id)
		d.ok(err)
		if pull.State != forge.Merged {
			t.Fatalf("%s is %s", id, pull.State)
		}
		why, err := workspace.Unforced(d.Context(), cur, pull)
		d.ok(err)
		return why
	}
	honest := d.merged(skill("sheet-bend"))
	p := d.proposed("kublai", skill("granny"))
	before, err := d.Repo.Commit(d.main())
	d.ok(err)
	d.forge(forgery{id: p.ID})
	if why := unforced(p.ID); why == "" {
		t.Error("a forged merge counts as in force")
	}
	d.put("refs/heads/main", d.commitTree(before.Committer, "Revert", before.Tree, d.main()))
	if pull, err := d.Record.Get(d.Context(), p.ID); err != nil || pull.State == forge.Merged && unforced(p.ID) == "" {
		t.Errorf("a forged merge that was taken back counts as in force: %v", err)
	}
	if why := unforced(honest.ID); why != "" {
		t.Errorf("an honest merge is not in force: %s", why)
	}
}
