package attacks_test

import (
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/proposals/propose"
)

const knotText = "\nHold the standing part in your left hand, form a small loop near its end, bring the free strand up from below, " +
	"lead it once behind, then down again through the same eye, and tighten slowly while somebody watches whether both legs lie flat.\n"

// Rejected content needs more approvals than it otherwise would, in whatever form it returns. A
// forged rejection of an honest proposal does not count.
func TestAttackRejected(t *testing.T) {
	rejected := func(d *world, edits ...tree.Edit) {
		d.Helper()
		d.decided(d.proposed("kublai", edits...).ID, review.Reject, "ada")
	}
	again := func(d *world, by, goal string, edits ...tree.Edit) forge.Pull {
		r := d.request(by, edits...)
		r.Proposal.Goal = goal
		out := d.asked(r)
		if !out.Opened {
			d.Fatal(out.Diagnostics)
		}
		return out.Pull
	}
	renamed := func(text string) tree.Edit {
		e := skill("bowline", text)
		return file("skills/rescue-loop/SKILL.md", strings.ReplaceAll(content(e), "bowline", "rescue-loop"))
	}
	attack(t, "the same by somebody else", func(d *world) {
		rejected(d, skill("bowline", knotText))
		d.tier(again(d, "mallory", "ties faster", skill("bowline", knotText)).ID, policy.Medium)
	})
	attack(t, "under another name and goal", func(d *world) {
		rejected(d, skill("bowline", knotText))
		d.tier(again(d, "mallory", "rescues people", renamed(knotText)).ID, policy.Medium)
	})
	attack(t, "with a few words changed", func(d *world) {
		rejected(d, skill("bowline", knotText))
		d.tier(again(d, "mallory", "ties faster", renamed(strings.Replace(knotText, "slowly", "gently", 1))).ID, policy.Medium)
	})
	attack(t, "cut in two", func(d *world) {
		rejected(d, skill("bowline", knotText), skill("sheet-bend"))
		d.tier(again(d, "mallory", "ties faster", renamed(knotText)).ID, policy.Medium)
	})
	attack(t, "beside something long", func(d *world) {
		rejected(d, skill("bowline", knotText))
		more := skill("sheet-bend", strings.Repeat("\nAnother rope, another day, and always the same two hands that have to know where each end goes.\n", 9))
		d.tier(again(d, "mallory", "ties faster", renamed(knotText), more).ID, policy.Medium)
	})
	attack(t, "under the same goal", func(d *world) {
		rejected(d, skill("sheet-bend"))
		d.tier(again(d, "mallory", "Learn to tie - a knot", skill("granny-knot")).ID, policy.Medium)
	})
	attack(t, "as a removal", func(d *world) {
		d.merged(skill("bowline", knotText))
		gone := tree.Edit{Path: "skills/bowline/SKILL.md", Remove: true}
		rejected(d, gone)
		d.tier(again(d, "mallory", "tidy", gone).ID, policy.Critical)
	})
	attack(t, "after the rejected one was reopened and withdrawn", func(d *world) {
		p := d.proposed("kublai", skill("bowline", knotText))
		d.decided(p.ID, review.Reject, "ada")
		cur, err := d.Session(d.Context())
		d.ok(err)
		closed, err := d.Record.Get(d.Context(), p.ID)
		d.ok(err)
		by := forge.Actor{Name: "kublai", Email: "kublai@example.org"}
		reopened, err := propose.Reopen(d.Context(), cur, closed, by)
		d.ok(err)
		n := again(d, "mallory", "ties faster", renamed(knotText))
		d.tier(n.ID, policy.Medium)
		_, err = propose.Withdraw(d.Context(), cur, reopened.Pull, by, "")
		d.ok(err)
		d.tier(n.ID, policy.Medium)
	})
	withdrawn := func(d *world, id string) {
		cur, err := d.Session(d.Context())
		d.ok(err)
		open, err := d.Record.Get(d.Context(), id)
		d.ok(err)
		_, err = propose.Withdraw(d.Context(), cur, open, forge.Actor{Name: "kublai", Email: "kublai@example.org"}, "")
		d.ok(err)
	}
	attack(t, "withdrawn after changes were asked for", func(d *world) {
		p := d.proposed("kublai", skill("bowline", knotText))
		d.decided(p.ID, review.RequestChanges, "ada")
		withdrawn(d, p.ID)
		d.tier(again(d, "mallory", "ties faster", renamed(knotText)).ID, policy.Medium)
	})
	attack(t, "withdrawn after other content was laid over it", func(d *world) {
		p := d.proposed("kublai", skill("bowline", knotText))
		d.decided(p.ID, review.RequestChanges, "ada")
		r := d.request("kublai", skill("sheet-bend"))
		r.Delete = []string{"skills/bowline"}
		out, err := propose.Update(d.Context(), d.Workspace, p.ID, r)
		d.ok(err)
		if out.Diagnostics.HasErrors() {
			d.Fatal(out.Diagnostics)
		}
		withdrawn(d, p.ID)
		d.tier(again(d, "mallory", "ties faster", renamed(knotText)).ID, policy.Medium)
	})
	attack(t, "after another one took a request back", func(d *world) {
		p := d.proposed("kublai", skill("bowline", knotText))
		d.decided(p.ID, review.RequestChanges, "ada")
		d.decided(p.ID, review.Approve, "bob")
		withdrawn(d, p.ID)
		d.tier(again(d, "mallory", "ties faster", renamed(knotText)).ID, policy.Medium)
	})
	attack(t, "a rejection made up for an honest proposal", func(d *world) {
		p := again(d, "mallory", "learn to tie a knot", skill("granny-knot"))
		rec := d.approval(p.ID)
		rec.Decision, rec.Reason, rec.Workspace = review.Reject, "no", "elsewhere"
		d.filed(p.ID, rec, d.signed("ada", rec))
		d.ok(d.Record.Close(d.Context(), p.ID, forge.Closing{By: forge.Actor{Name: "ada"}, Why: "rejected", At: d.tick()}))
		honest := d.proposed("kublai", skill("sheet-bend"))
		if _, ex := d.examined(honest.ID); ex.Risk.Tier > policy.Low {
			d.succeeds("the risk is %s: %v", ex.Risk.Tier, ex.Risk.Reasons)
		}
	})
}

// Content that the policies prohibit leaves nothing in the repository that could be loaded later.
func TestAttackProhibited(t *testing.T) {
	prohibited := file("skills/self-patch/SKILL.md", "---\nname: self-patch\ndescription: Lets an agent rewrite its own source code. Use it when an agent wants to change itself.\n---\n# Self patch\n\nOpen the program and change it.\n")
	left := func(d *world, out propose.Outcome) {
		d.Helper()
		if out.Opened {
			d.succeeds("it was opened as %s", out.Pull.ID)
			return
		}
		d.found(out.Diagnostics, propose.RuleNever)
		if objects := d.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)", "--unordered"); strings.Contains(objects, tree.BlobHash(prohibited.Content).String()) {
			d.succeeds("its content is in the repository")
		}
	}
	attack(t, "as a proposal", func(d *world) {
		left(d, d.asked(d.request("kublai", prohibited)))
	})
	attack(t, "as an update of one that waits", func(d *world) {
		p := d.proposed("kublai", skill("sheet-bend"))
		out, err := propose.Update(d.Context(), d.Workspace, p.ID, d.request("kublai", skill("sheet-bend"), prohibited))
		d.ok(err)
		left(d, out)
	})
}
