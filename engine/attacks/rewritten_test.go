package attacks_test

import (
	"slices"
	"testing"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
)

// rewrittenJournals writes versions of the merge's journal that lack some events between the first
// and the announcement, and that may have an additional comment, push by an approver or closing.
func (d tightened) rewrittenJournals() []tree.Hash {
	d.Helper()
	events := d.events()
	at := slices.IndexFunc(events, func(e journal.Event) bool { return e.Kind == "merging" })
	extra := []journal.Event{
		{Kind: "comment", At: events[0].At, By: "m", Note: "no"},
		{Kind: "pushed", At: events[0].At, By: "bob", Fields: map[string]string{"Head": d.pull.Head.String()}, Files: actorFile("bob")},
		{Kind: "pushed", At: events[0].At, By: "ada", Fields: map[string]string{"Head": d.pull.Head.String()}, Files: actorFile("ada")},
		{Kind: "closed", At: events[0].At, By: "m"},
	}
	var out []tree.Hash
	for subset := range 1 << (at - 1) {
		for with := range 1 << len(extra) {
			if subset%2 != with%2 && subset > 0 {
				continue
			}
			var history []journal.Event
			add := func(ev journal.Event) {
				stored, err := journal.Continue(d.Repo, history, ev)
				d.ok(err)
				history = append(history, stored)
			}
			for i, ev := range events {
				if i == 1 {
					for j, more := range extra {
						if with>>j&1 > 0 {
							add(more)
						}
					}
				}
				if i == 0 || i >= at || subset>>(i-1)&1 == 0 {
					add(ev)
				}
			}
			out = append(out, history[len(history)-1].Commit)
		}
	}
	d.ok(d.Repo.Sync())
	return out
}

// A rewritten journal on the hub does not replace the local one if the local one proves a merge in
// force and the joined one does not.
func TestAttackRewrittenOnHub(t *testing.T) {
	d := newTightened(t)
	journals := d.rewrittenJournals()
	if len(journals) < 100 {
		t.Errorf("%d variants", len(journals))
	}
	ref := local.PullPrefix + d.pull.ID
	ours := d.ref(ref)
	t.Run("joined", func(t *testing.T) {
		d := tightened{world: d.clone(t), pull: d.pull, at: d.at}
		for i, theirs := range journals {
			_, err := d.Record.Join(d.pull.ID, local.Theirs{Journal: theirs, Unproves: func(own, next tree.Hash) error {
				return d.Unproves(d.Context(), d.pull.ID, own, next)
			}}, func(string) bool { return false })
			cur, wrong := d.newReader()
			d.ok(wrong)
			if cur.InForce != d.at {
				d.succeeds("variant %d voids the merge here: %v", i, err)
			}
			if now := d.ref(ref); now != ours {
				d.ok(d.Repo.Update(gitstore.RefUpdate{Name: ref, Old: now, New: ours}))
			}
		}
	})
	for _, place := range []string{"pulled and repaired", "folded here and repaired"} {
		t.Run(place, func(t *testing.T) {
			d := tightened{world: d.clone(t), pull: d.pull, at: d.at}
			d.rewrites(func(events []journal.Event) []journal.Event {
				return slices.DeleteFunc(events, func(e journal.Event) bool { return e.Kind == "review" })
			})
			d.world.copied()
			d.put(ref, ours)
			want := ours
			if place == "folded here and repaired" {
				d.folded()
				want = tree.Hash{}
			}
			pulled, err := exchange.Pull(d.Context(), d.Workspace, "origin", false)
			d.ok(err)
			if now, err := d.Repo.Ref(ref); !slices.Contains(pulled.Untaken, ref) || now != want {
				d.succeeds("it is taken: %+v, %v", pulled, err)
			}
			found, err := exchange.Damages(d.Context(), d.Workspace, "origin")
			d.ok(err)
			if len(found) != 1 || !found[0].Worse || !found[0].Restorable {
				d.Fatalf("found %+v", found)
			}
			_, err = exchange.Restore(d.Context(), d.Workspace, "origin", found[0])
			d.ok(err)
			if found, err = exchange.Damages(d.Context(), d.Workspace, "origin"); err != nil || len(found) > 0 {
				d.succeeds("it is still there: %+v, %v", found, err)
			}
		})
	}
}
