package attacks_test

import (
	"context"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// racing is a forge that runs before between the judgement and the merge.
type racing struct {
	forge.Forge
	before func()
}

// Merge implements forge.Forge.
func (r *racing) Merge(ctx context.Context, id string, m forge.Merge) (tree.Hash, error) {
	if act := r.before; act != nil {
		r.before = nil
		act()
	}
	return r.Forge.Merge(ctx, id, m)
}

// A judgement on one main does not allow a merge into another.
func TestAttackMainMoves(t *testing.T) {
	attack(t, "between judgement and merge", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		d.approved(p.ID, "ada")
		var evil tree.Hash
		d.Forge = &racing{d.Forge, func() { evil = d.straight("Sneak in", skill("granny-knot")) }}
		out := d.merge(p.ID)
		if out.Merged {
			d.succeeds("it merges upon %s, which nobody judged", evil.Short())
		}
		d.because(out.Refused, "never passed the gate")
	})
	attack(t, "the head moves between judgement and merge", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		d.approved(p.ID, "ada", "bob")
		d.Forge = &racing{d.Forge, func() {
			d.pushed(p, d.commit("More", []tree.Hash{p.Head}, skill("clove-hitch", "\nThen untie all others.\n")))
		}}
		out := d.merge(p.ID)
		if out.Merged {
			d.succeeds("it merges although its branch moved")
		}
		d.because(out.Refused, "it was given on another version")
	})
	for decision, why := range map[review.Decision]string{review.Revoke: "was taken back", review.RequestChanges: "ada asked for changes"} {
		attack(t, string(decision)+" between judgement and merge", func(d *world) {
			p := d.proposed("kublai", skill("clove-hitch"))
			d.approved(p.ID, "ada")
			d.Forge = &racing{d.Forge, func() { d.decided(p.ID, decision, "ada") }}
			out := d.merge(p.ID)
			if out.Merged {
				d.succeeds("it merges although the approval does not count any more")
			}
			d.because(out.Refused, why)
		})
	}
	attack(t, "what it needs is gone", func(d *world) {
		record := "kind: skill\nversion: 1.0.0\nstatus: active\nrequires: {capabilities: [bowline]}\n"
		needs := d.proposed("kublai", skill("clove-hitch"), file("skills/clove-hitch/capability.yaml", record))
		d.approved(needs.ID, "ada", "bob")
		d.merged(tree.Edit{Path: "skills/bowline/SKILL.md", Remove: true})
		d.reportHas(needs.ID, validate.RuleReference)
		d.holds(needs.ID, "validation found")
	})
	attack(t, "an old judgement on a new main", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		d.approved(p.ID, "ada")
		old := d.main()
		d.merged(skill("sheet-bend"))
		d.forged(forgery{id: p.ID, alter: func(a *attest.Attestation) { a.From, a.Base = old, old }}, "its parents are not those that were judged")
	})
	attack(t, "a tree of before", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		d.approved(p.ID, "ada")
		d.merged(skill("sheet-bend"))
		d.forged(forgery{id: p.ID, tree: d.treeOf(p.Head)}, "its tree is not what merging")
	})
}

// Two changes that are each acceptable are unacceptable together; or a change claims to be smaller
// than it is.
func TestAttackTogether(t *testing.T) {
	attack(t, "one name in two groups", func(d *world) {
		a := d.proposed("kublai", file("skills/one/clove-hitch/SKILL.md", content(skill("clove-hitch"))))
		b := d.proposed("mongke", file("skills/two/clove-hitch/SKILL.md", content(skill("clove-hitch"))))
		d.approved(a.ID, "ada", "bob")
		d.approved(b.ID, "ada", "bob")
		if out := d.merge(a.ID); !out.Merged {
			d.Fatal(out.Refused)
		}
		d.begin()
		d.reportHas(b.ID, capability.RuleTwin)
		d.holds(b.ID, "validation found")
	})
	attack(t, "names that one file system folds", func(d *world) {
		a := d.proposed("kublai", skill("clove-hitch"), file("skills/clove-hitch/notes.md", "One.\n"))
		d.approved(a.ID, "ada", "bob")
		b := d.asked(d.request("mongke", skill("clove-hitch"), file("skills/clove-hitch/Notes.md", "Two.\n")))
		d.approved(b.Pull.ID, "ada", "bob")
		if out := d.merge(a.ID); !out.Merged {
			d.Fatal(out.Refused)
		}
		d.begin()
		d.reportHas(b.Pull.ID, names.RuleCollision)
		d.holds(b.Pull.ID, "validation found")
	})
	attack(t, "both edit one file", func(d *world) {
		a := d.proposed("kublai", skill("bowline", "\nKeep away from the edge.\n"))
		b := d.proposed("mongke", skill("bowline", "\nGo to the edge.\n"))
		d.approved(a.ID, "ada", "bob")
		d.approved(b.ID, "ada", "bob")
		if out := d.merge(a.ID); !out.Merged {
			d.Fatal(out.Refused)
		}
		d.begin()
		out := d.merge(b.ID)
		if out.Merged {
			d.succeeds("the second takes the first back")
		}
		d.because(out.Refused, "main changed the same files meanwhile")
	})
	attack(t, "a policy labelled as a skill", func(d *world) {
		r := d.request("kublai", skill("clove-hitch"), d.altered("policies/limits.yaml", "expiry: 7d", "expiry: 365d"))
		r.Proposal.Kind = proposal.Add
		p := d.asked(r)
		d.approved(p.Pull.ID, "mallory", "mongke")
		d.tier(p.Pull.ID, policy.Critical)
		d.holds(p.Pull.ID, "needs 2 approvals by humans")
	})
	attack(t, "code that declares itself low", func(d *world) {
		record := "kind: skill\nversion: 1.0.0\nstatus: active\nrisk: low\nside_effects: []\n"
		p := d.proposed("kublai", skill("clove-hitch"), file("skills/clove-hitch/capability.yaml", record),
			file("skills/clove-hitch/scripts/tie.py", "print('tie')\n"))
		d.approved(p.ID, "mallory", "mongke")
		d.tier(p.ID, policy.Medium)
		d.holds(p.ID, "no test shows what the code of clove-hitch does")
	})
	attack(t, "a path that nobody knows", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		d.pushed(p, d.commit("Docs", []tree.Hash{p.Head}, file("docs/clove-hitch.md", "Docs.\n"), d.listed(p, "docs/clove-hitch.md")))
		d.tier(p.ID, policy.Critical)
		d.holds(p.ID, "a path outside soul/, skills/ and proposals/")
	})
	attack(t, "a proposal that hides another's record", func(d *world) {
		old := d.merged(skill("sheet-bend"))
		_, ex := d.examined(old.ID)
		p := d.proposed("kublai", skill("clove-hitch"))
		d.pushed(p, d.commit("Tidy up", []tree.Hash{p.Head}, file(ex.File, "gone\n"), d.listed(p, ex.File)))
		d.reportHas(p.ID, validate.RuleRewritten)
		d.holds(p.ID, "validation found")
	})
}

// tier checks that a proposal's risk is at least want.
func (d *world) tier(id string, want policy.Tier) {
	d.Helper()
	if _, ex := d.examined(id); ex.Risk.Tier < want {
		d.succeeds("the risk is %s, want %s", ex.Risk.Tier, want)
	}
}

// listed returns a proposal's own file with one more path in its list.
func (d *world) listed(p forge.Pull, path string) tree.Edit {
	d.Helper()
	_, ex := d.examined(p.ID)
	head, err := d.Repo.Snapshot(p.Head)
	d.ok(err)
	data, err := head.Read(ex.File)
	d.ok(err)
	text := strings.Replace(string(data), "files:\n", "files:\n  - "+path+"\n", 1)
	text = strings.Replace(text, "files: [", "files: ["+path+", ", 1)
	if text == string(data) {
		d.Fatalf("no list of files in\n%s", data)
	}
	return file(ex.File, text)
}
