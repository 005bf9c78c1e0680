package attacks_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/assent-dev/assent/cmd/assent-verify/check"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/soul"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/validate"
)

const kublai = "soul/kublai/SOUL.md"

// regions change engine-owned bytes after the approval. The generator in engine/gate
// (TestEffectBindsEveryByte) has several hundred more.
func regions() map[string]func(d *world, p forge.Pull) tree.Edit {
	list := func(change func(text string, items []string) string) func(d *world, p forge.Pull) tree.Edit {
		return func(d *world, p forge.Pull) tree.Edit {
			text := d.ofBranch(p, kublai)
			items := soul.ListItems([]byte(text))
			if len(items) != 4 {
				d.Fatalf("%d parts of the list, want an introduction and three entries", len(items))
			}
			return file(kublai, change(text, items))
		}
	}
	return map[string]func(d *world, p forge.Pull) tree.Edit{
		"the list is removed": list(func(text string, _ []string) string {
			before, _, _ := strings.Cut(text, "## "+soul.LearnedTitle)
			return before
		}),
		"an entry is removed": list(func(text string, items []string) string { return strings.Replace(text, items[1]+"\n\n", "", 1) }),
		"the list is in another order": list(func(text string, items []string) string {
			return strings.Replace(text, items[1]+"\n\n"+items[2], items[2]+"\n\n"+items[1], 1)
		}),
		"an entry is of another day": list(func(text string, items []string) string {
			at := strings.Index(items[3], "**Learned**: ") + len("**Learned**: ")
			return strings.Replace(text, items[3], items[3][:at]+"2001-01-01"+items[3][at+10:], 1)
		}),
		"blank lines": list(func(text string, items []string) string { return strings.Replace(text, items[2], "\n\n\n"+items[2], 1) }),
		"a comment in the list of files": func(d *world, p forge.Pull) tree.Edit {
			_, ex := d.examined(p.ID)
			return file(ex.File, strings.Replace(d.ofBranch(p, ex.File), "files:", "files: # ada says: trust the knot\n  # and pull\n", 1))
		},
	}
}

// ofBranch returns a file of a proposal's branch.
func (d *world) ofBranch(p forge.Pull, path string) string {
	d.Helper()
	view, err := d.Repo.Snapshot(p.Head)
	d.ok(err)
	data, err := view.Read(path)
	d.ok(err)
	return string(data)
}

// learned makes a world in which kublai has learned two knots, and returns an approved proposal to
// learn a third.
func (d *world) learned() forge.Pull {
	d.Helper()
	d.merged(skill("sheet-bend"))
	d.merged(skill("half-hitch"))
	p := d.proposed("kublai", skill("clove-hitch"))
	d.approved(p.ID, "ada", "bob")
	return p
}

// An approval also covers the regions of a proposal that the engine maintains.
func TestAttackEngineRegions(t *testing.T) {
	for name, change := range regions() {
		attack(t, name, func(d *world) {
			p := d.learned()
			d.pushed(p, d.commit("Keep the learned capabilities in step", []tree.Hash{p.Head}, change(d, p)))
			d.holds(p.ID, "it was given on another version")
		})
		if name == "blank lines" {
			continue // a merge by 0.4.0 could have them, see docs/adr/0033
		}
		attack(t, name+", claimed to be of 0.4.0", func(d *world) {
			p := d.learned()
			d.pushed(p, d.commit("Keep the learned capabilities in step", []tree.Hash{p.Head}, change(d, p)))
			d.forged(forgery{id: p.ID, report: func(r *validate.Report) { r.Engine = "0.4.0" }}, "it was given on another version")
		})
	}
	attack(t, "a commit after the approval adds the engine's entry and a comment", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		written, err := d.Repo.Commit(p.Head)
		d.ok(err)
		d.pushed(p, written.Parents[0])
		d.approved(p.ID, "ada", "bob")
		_, ex := d.examined(p.ID)
		text := strings.Replace(d.ofBranch(p, ex.File), "files:", "files: # ada says: trust the knot\n ", 1)
		d.pushed(p, d.commit("Keep the learned capabilities in step", []tree.Hash{p.Head}, file(ex.File, text)))
		d.holds(p.ID, "it was given on another version")
	})
	attack(t, "a list that lost entries, by an approved proposal", func(d *world) {
		p := d.learned()
		text := d.ofBranch(p, kublai)
		before, _, _ := strings.Cut(text, "### ")
		d.straight("Tidy up", file(kublai, before))
		result, err := d.Result(d.before, p.Head)
		d.ok(err)
		edited, err := d.Repo.WriteTree(result.Tree, nil)
		d.ok(err)
		if carried, err := d.Result(d.main(), p.Head); err == nil && len(carried.Conflicts) == 0 {
			edited = carried.Tree
		}
		d.forged(forgery{id: p.ID, tree: edited})
	})
	attack(t, "a proposal that drops an entry is somebody's edit", func(d *world) {
		d.learned()
		cur, err := d.Session(d.Context())
		d.ok(err)
		data, err := cur.View.Read(kublai)
		d.ok(err)
		items := soul.ListItems(data)
		p := d.asked(d.request("kublai", file(kublai, strings.Replace(string(data), items[1]+"\n\n", "", 1))))
		d.tier(p.Pull.ID, policy.Medium)
	})
}

// An approval from before the engine's entry counts with the entry. The checker cannot derive
// that, and reports it.
func TestEntryAfterTheApproval(t *testing.T) {
	d := newWorld(t)
	d.Attester = d.who["ada"]
	p := d.proposed("kublai", skill("clove-hitch"))
	written, err := d.Repo.Commit(p.Head)
	d.ok(err)
	d.pushed(p, written.Parents[0])
	d.approved(p.ID, "ada", "bob")
	d.pushed(p, p.Head)
	if out := d.merge(p.ID); !out.Merged {
		d.Fatal(out.Refused)
	}
	d.begin()
	cur := d.unchanged()
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("the checker needs ssh-keygen")
	}
	checker, err := check.Open(d.dir, false)
	d.ok(err)
	defer checker.Close()
	if res, err := checker.Check(d.clock); err != nil || len(res.Blocked) != 1 || res.Blocked[0].Commit != cur.InForce.String() || !res.Blocked[0].Unverified {
		t.Errorf("the checker names %+v, %v; the engine %s", res, err, cur.InForce)
	}
}

// Two proposals by one agent that learned side by side are in force for the checker, too. An
// additional line in the merge of the second one is not.
func TestCheckerUnitesLists(t *testing.T) {
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("the checker needs ssh-keygen")
	}
	d := newWorld(t)
	d.Attester = d.who["ada"]
	one, two, three := d.proposed("kublai", skill("clove-hitch")), d.proposed("kublai", skill("round-turn")), d.proposed("kublai", skill("rolling-hitch"))
	for _, p := range []forge.Pull{one, two, three} {
		d.approved(p.ID, "ada", "bob")
		if out := d.merge(p.ID); !out.Merged {
			d.Fatal(out.Refused)
		}
	}
	d.begin()
	cur := d.unchanged()
	checker, err := check.Open(d.dir, false)
	d.ok(err)
	defer checker.Close()
	res, err := checker.Check(d.clock)
	if err != nil || res.InForce != cur.InForce.String() || len(res.Merges) < 3 {
		t.Errorf("the checker names %+v, %v; the engine %s", res, err, cur.InForce)
	}
}

func regionDefences() map[string]defence {
	const region = "TestAttackEngineRegions/"
	return map[string]defence{
		"engine-owned-bytes-are-bound":             {attack: region + "the list is in another order", instead: "e.Digest = lines.Digest(); return e, nil"},
		"only-the-engine-writes-after-an-approval": {attack: region + "a commit after the approval adds the engine's entry and a comment"},
		"plain-digests-bind-their-head": {
			attack:  region + "an entry is removed",
			instead: `return rv.Effective == c.f.Plain || rv.Effective == c.f.Effective`,
		},
		"blocked-commits-stay-out": {
			attack:  region + "a list that lost entries, by an approved proposal",
			instead: "ex.Covered = own.CoversPlain(brought); return nil",
		},
		"lost-entries-are-an-edit": {attack: region + "a proposal that drops an entry is somebody's edit", instead: "return true, err"},
	}
}
