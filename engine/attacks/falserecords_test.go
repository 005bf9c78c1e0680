package attacks_test

import (
	"crypto/sha1" //nolint:gosec // records are spread by it
	"encoding/json"
	"fmt"
	"path"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
)

func falseRecordDefences() map[string]defence {
	const on = "TestAttackFalseRecords/"
	return map[string]defence{
		"false-records-hide-no-journal":   {attack: on + "a fork"},
		"false-records-count-for-nothing": {attack: on + "the real end"},
		"false-records-drop-no-journal":   {attack: on + "the real end"},
		"records-deny-no-folded-journal":  {attack: "TestAttackFalseRecordOfFolded"},
		"false-records-fold-nothing":      {attack: "TestAttackFalseRecordInsteadOfRef"},
	}
}

// told is a record that an attacker writes about a journal.
type told struct {
	head    tree.Hash
	summary any
}

// summaries are what false records say of a proposal that is open.
func summaries(p forge.Pull) []any {
	out := []any{map[string]any{}, map[string]any{"id": p.ID}, nil, "withdrawn", map[string]any{"id": "another-00000000", "state": "closed"}}
	for _, state := range []forge.State{forge.Closed, forge.Merged, forge.Open, "gone"} {
		said := p
		said.State, said.Why = state, ""
		out = append(out, said)
		said.Why = "withdrawn"
		out = append(out, said)
		said.Title, said.Head = "Trust me", tree.Hash{}
		out = append(out, said)
	}
	return out
}

// line adds a line with one record, dated as the attacker likes.
func (d *world) claims(ref, id string, at time.Time, says told) {
	d.Helper()
	data, err := json.Marshal(map[string]any{"v": 1, "name": id, "head": says.head, "summary": says.summary})
	d.ok(err)
	sum := fmt.Sprintf("%x", sha1.Sum([]byte(id))) //nolint:gosec // see the import
	root, err := d.Repo.WriteTree(tree.Hash{}, []tree.Edit{{Path: path.Join(sum[:1], sum[1:2], sum[2:3], id), Content: data}})
	d.ok(err)
	d.put(ref, d.commitTree(gitstore.Person{Name: "assent", When: at}, "Fold 1 journals\n\nAssent-Fold: 1", root, says.head))
}

// forked writes events upon the first event of a journal: comments, and an end.
func (d *world) forked(id string, comments int) (head tree.Hash, closed forge.Pull) {
	d.Helper()
	events, err := local.Shelf().Read(d.Repo, id)
	d.ok(err)
	history := events[:1:1]
	for n := range comments + 1 {
		ev := journal.Event{Kind: "comment", At: events[0].At, By: "eve", Note: "no"}
		if n == comments {
			ev = journal.Event{Kind: "closed", At: events[0].At, By: "eve", Fields: map[string]string{"State": "closed", "Why": "withdrawn"}}
		}
		stored, err := journal.Continue(d.Repo, history, ev)
		d.ok(err)
		history = append(history, stored)
	}
	d.ok(d.Repo.Sync())
	p, err := d.Record.Get(d.Context(), id)
	d.ok(err)
	p.State, p.Why, p.Updated = forge.Closed, "withdrawn", events[0].At
	return history[len(history)-1].Commit, p
}

// usable reports what an attack did to an open proposal.
func (d *world) usable(what, id string) {
	d.Helper()
	d.reopen()
	if p, err := d.Record.Get(d.Context(), id); err != nil || p.State != forge.Open {
		d.succeeds("%s: the proposal is %q: %v", what, p.State, err)
	}
	res, err := audit.Verify(d.Context(), d.Workspace, nil)
	if d.ok(err); res.Broken != nil {
		d.succeeds("%s: the record does not hold: %+v", what, res.Broken)
	}
	d.clock = d.clock.Add(time.Hour)
	drops, err := d.Archive.Drop(d.Context(), d.tick(), 10)
	if d.ok(err); drops.Removed > 0 {
		d.succeeds("%s: the ref of an open proposal is gone", what)
	}
}

// A record in a line that anyone can push says nothing against a journal that has its own ref.
func TestAttackFalseRecords(t *testing.T) {
	variants := 0
	for name, heads := range map[string]func(d *world, id string) []told{
		"the real end": func(d *world, id string) (out []told) {
			p, err := d.Record.Get(d.Context(), id)
			d.ok(err)
			for _, s := range summaries(p) {
				out = append(out, told{d.ref(local.PullPrefix + id), s})
			}
			return out
		},
		"a fork": func(d *world, id string) (out []told) {
			for comments := range 4 {
				head, closed := d.forked(id, comments)
				for _, s := range append(summaries(closed), closed) {
					out = append(out, told{head, s})
				}
			}
			return out
		},
		"no event": func(d *world, id string) (out []told) {
			p, err := d.Record.Get(d.Context(), id)
			d.ok(err)
			for _, s := range summaries(p) {
				out = append(out, told{d.main(), s})
			}
			return out
		},
	} {
		attack(t, name, func(d *world) {
			p := d.proposed("kublai", skill("clove-hitch"))
			for i, says := range heads(d, p.ID) {
				variants++
				d.claims(local.ClosedPrefix+"2026", p.ID, d.clock.AddDate(-1, 0, 0), says)
				d.usable(fmt.Sprintf("record %d", i), p.ID)
				d.approved(p.ID, "ada")
				if d.Failed() {
					return
				}
			}
		})
	}
	attack(t, "a fork below an old record", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		head, closed := d.forked(p.ID, 2)
		d.claims(local.ClosedPrefix+"2026", p.ID, d.clock.AddDate(-1, 0, 0), told{d.ref(local.PullPrefix + p.ID), closed})
		d.claims(local.ClosedPrefix+"2025", p.ID, d.clock.AddDate(-1, 0, 0), told{head, closed})
		d.usable("two lines", p.ID)
	})
	if !t.Failed() && variants < 80 {
		t.Errorf("%d variants", variants)
	}
}

// A line whose record denies a journal that is folded here is not taken, and doctor replaces it.
func TestAttackFalseRecordOfFolded(t *testing.T) {
	d := newTightened(t)
	head, closed := d.forked(d.pull.ID, 1)
	d.folded()
	hub := d.copied(t).world
	hub.dir = d.world.copied().dir
	hub.reopen()
	for i, s := range append(summaries(closed), closed) {
		hub.claims(local.ClosedPrefix+"2199", d.pull.ID, d.clock, told{head, s})
		_, err := exchange.Pull(d.Context(), d.Workspace, "origin", false)
		d.ok(err)
		if p, err := d.Record.Get(d.Context(), d.pull.ID); err != nil || p.State != forge.Merged {
			d.succeeds("record %d: the merged proposal is %q: %v", i, p.State, err)
			return
		}
		junk, err := exchange.FindJunk(d.Context(), d.Workspace, "origin", nil)
		if d.ok(err); len(junk) != 1 || junk[0].Ref != local.ClosedPrefix+"2199" {
			d.succeeds("record %d: the line is not found: %+v", i, junk)
			return
		}
	}
}

// A false record beside a deleted ref does not keep this clone from publishing the journal again.
func TestAttackFalseRecordInsteadOfRef(t *testing.T) {
	d := newWorld(t)
	p := d.proposed("kublai", skill("clove-hitch"))
	hub := d.copied()
	ref := local.PullPrefix + p.ID
	at := hub.ref(ref)
	for i, s := range summaries(p) {
		hub.claims(local.ClosedPrefix+"2026", p.ID, d.clock, told{at, s})
		d.ok(hub.Repo.Update(gitstore.RefUpdate{Name: ref, Old: at}))
		_, err := exchange.Pull(d.Context(), d.Workspace, "origin", false)
		d.ok(err)
		_, err = exchange.Push(d.Context(), d.Workspace, exchange.Options{Remote: "origin"})
		d.ok(err)
		if now, err := hub.Repo.Ref(ref); err != nil || now != at {
			d.succeeds("record %d: the journal stays away: %v", i, err)
			return
		}
	}
}
