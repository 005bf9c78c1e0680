package attacks_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/proposals/propose"
)

// Only the approved version merges, without later changes.
func TestAttackChangeAfterApproval(t *testing.T) {
	// begun returns a proposal that both humans approved.
	begun := func(d *world) forge.Pull {
		p := d.proposed("kublai", skill("clove-hitch"))
		d.approved(p.ID, "ada", "bob")
		return p
	}
	evil := skill("clove-hitch", "\nThen untie all others.\n")
	attack(t, "push", func(d *world) {
		p := begun(d)
		d.pushed(p, d.commit("More", []tree.Hash{p.Head}, evil))
		d.holds(p.ID, "it was given on another version")
	})
	attack(t, "force-push", func(d *world) {
		p := begun(d)
		c, err := d.Repo.Commit(p.Head)
		d.ok(err)
		d.pushed(p, d.commit(c.Message, c.Parents, d.filesOf(p, evil)...))
		d.holds(p.ID, "it was given on another version")
	})
	attack(t, "rebase with another tree", func(d *world) {
		p := begun(d)
		d.straight("Other work", file("README.md", "x\n"))
		d.pushed(p, d.commit("Rebased", []tree.Hash{d.main()}, d.filesOf(p, evil)...))
		d.holds(p.ID, "it was given on another version")
	})
	attack(t, "update by the engine", func(d *world) {
		p := begun(d)
		r := d.request("kublai", evil)
		r.Proposal.Goal = ""
		_, err := propose.Update(d.Context(), d.Workspace, p.ID, r)
		d.ok(err)
		d.holds(p.ID, "it was given on another version")
	})
	attack(t, "a push that says it is the engine's", func(d *world) {
		p := begun(d)
		next := d.commit("Keep the learned capabilities in step", []tree.Hash{p.Head}, evil)
		_, err := d.Forge.Push(d.Context(), p.ID, forge.Push{By: forge.Actor{Name: "assent"}, Old: p.Head, New: next, Engine: true, At: d.tick()})
		d.ok(err)
		d.holds(p.ID, "it was given on another version", "it cannot be seen who pushed to it")
	})
	attack(t, "a journal that says the new head was reviewed", func(d *world) {
		p := begun(d)
		next := d.commit("More", []tree.Hash{p.Head}, evil)
		d.pushed(p, next)
		d.record(p.ID, journal.Event{Kind: "pushed", By: "kublai", Fields: map[string]string{"Head": next.String()}, Anchors: []tree.Hash{next}})
		activity, err := d.Forge.Activity(d.Context(), p.ID)
		d.ok(err)
		for _, r := range activity.Reviews {
			d.record(p.ID, journal.Event{Kind: "review", Fields: map[string]string{"Decision": "approve", "Head": next.String(), "Effective": strings.Repeat("0", 64)},
				Files: map[string][]byte{"review.json": r.Record, "review.sig": r.Signature}})
		}
		d.holds(p.ID, "it was given on another version")
	})
	attack(t, "half of it", func(d *world) {
		part, whole := d.stacked()
		d.approved(whole.ID, "ada", "bob")
		d.takenBack(part.ID)
		d.holds(whole.ID, "it was given on another version")
	})
	attack(t, "the executable bit alone", func(d *world) {
		script := file("skills/clove-hitch/scripts/tie.sh", "#!/bin/sh\necho tie\n")
		p := d.proposed("kublai", skill("clove-hitch"), script)
		d.approved(p.ID, "ada", "bob")
		script.Mode = tree.Executable
		d.pushed(p, d.commit("chmod", []tree.Hash{p.Head}, script))
		d.holds(p.ID, "it was given on another version")
	})
}

// guard is the text that the first of two stacked commits adds to the skill clove-hitch.
const guard = "\nNever over water.\n"

// stacked returns two proposals whose branches begin with the same commit: part holds only that
// commit, and whole continues from it.
func (d *world) stacked() (part, whole forge.Pull) {
	d.Helper()
	kublai := gitstore.Person{Name: "kublai", Email: "kublai@agents.example", When: d.tick()}
	first := d.commitAs("kublai <kublai@agents.example>", "Guard it", []tree.Hash{d.main()}, skill("clove-hitch", guard))
	onto := func(p forge.Pull, parents ...tree.Hash) forge.Pull {
		head := d.commitTree(kublai, "Stacked", d.treeOf(p.Head), parents...)
		p, err := d.Forge.Push(d.Context(), p.ID, forge.Push{By: forge.Actor{Name: "kublai"}, Old: p.Head, New: head, At: d.tick()})
		d.ok(err)
		return p
	}
	part = d.proposed("mallory", skill("clove-hitch", guard))
	whole = d.proposed("mallory", skill("clove-hitch", guard), skill("sheet-bend", "\nMind the clove-hitch, then jump.\n"))
	return onto(part, part.Head, first), onto(whole, first)
}

// takenBack merges a proposal and its undo, with the approvals of all.
func (d *world) takenBack(id string) {
	d.Helper()
	d.approved(id, "ada", "bob")
	if out := d.merge(id); !out.Merged {
		d.Fatal(out.Refused)
	}
	merged, err := d.Forge.Get(d.Context(), id)
	d.ok(err)
	cur, err := d.Session(d.Context())
	d.ok(err)
	r, _, err := propose.Undo(cur, merged)
	d.ok(err)
	undo := d.request("mongke", r.Edits...)
	undo.Proposal = r.Proposal
	back := d.asked(undo).Pull
	d.approved(back.ID, "mallory", "ada", "bob")
	if out := d.merge(back.ID); !out.Merged {
		d.Fatal(out.Refused)
	}
	d.begin()
}

// filesOf returns the files that a proposal adds, without the given ones.
func (d *world) filesOf(p forge.Pull, but ...tree.Edit) []tree.Edit {
	d.Helper()
	_, ex := d.examined(p.ID)
	head, err := d.Repo.Snapshot(p.Head)
	d.ok(err)
	out := but
	for _, c := range ex.Report.Files {
		if slices.ContainsFunc(but, func(e tree.Edit) bool { return e.Path == c.Path }) {
			continue
		}
		data, err := head.Read(c.Path)
		d.ok(err)
		out = append(out, tree.Edit{Path: c.Path, Content: data})
	}
	return out
}

// attack runs one variant in a world of its own.
func attack(t *testing.T, name string, run func(*world)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		d := newWorld(t)
		run(d)
		if !t.Failed() {
			d.unchanged()
		}
	})
}
