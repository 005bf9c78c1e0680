package attacks_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// An older state of a ref must not revert a decision.
func TestAttackRollback(t *testing.T) {
	// stricter makes the policy stricter and returns main before and after.
	stricter := func(d *world) (before, after tree.Hash) {
		before = d.main()
		d.merged(d.altered("policies/approvals.yaml", "  low: []", "  low: [{role: human, count: 1}]"))
		return before, d.main()
	}
	rolledBack := func(d *world, want error) {
		d.Helper()
		d.reopen()
		_, err := d.Session(d.Context())
		if err == nil {
			d.succeeds("an older state of main is in force")
		} else if !errors.Is(err, want) {
			d.Errorf("refused because %v, want %v", err, want)
		}
	}
	attack(t, "an older main", func(d *world) {
		before, after := stricter(d)
		d.put(attest.MainRef, before)
		rolledBack(d, attest.ErrRollback)
		d.put(attest.MainRef, after)
	})
	attack(t, "another line", func(d *world) {
		before, after := stricter(d)
		d.put(attest.MainRef, d.commit("Something else", []tree.Hash{before}, file("README.md", "x\n")))
		rolledBack(d, attest.ErrRollback)
		d.put(attest.MainRef, after)
	})
	attack(t, "an older main and no hint", func(d *world) {
		before, after := stricter(d)
		d.ok(os.Remove(filepath.Join(d.Repo.CommonDir(), "assent", "genesis")))
		d.put(attest.MainRef, before)
		rolledBack(d, attest.ErrRollback)
		d.put(attest.MainRef, after)
	})
	attack(t, "another genesis", func(d *world) {
		_, after := stricter(d)
		d.ok(os.Remove(filepath.Join(d.Repo.CommonDir(), "assent", "genesis")))
		d.put(attest.MainRef, d.commit("Begin\n\n"+attest.GenesisTrailer+": 1", nil, skill("granny-knot")))
		rolledBack(d, attest.ErrReplaced)
		d.put(attest.MainRef, after)
	})
	attack(t, "a journal cut short", func(d *world) {
		before := d.main()
		p := d.merged(d.altered("policies/limits.yaml", "expiry: 7d", "expiry: 6d"))
		after := d.main()
		d.git("update-ref", "-d", local.PullPrefix+p.ID)
		d.reopen()
		cur, err := d.Session(d.Context())
		d.ok(err)
		d.same(cur)
		res, err := audit.Verify(d.Context(), d.Workspace, nil)
		d.ok(err)
		if res.Broken == nil {
			d.succeeds("the audit finds nothing")
		} else {
			d.because(res.Broken.Rule, audit.RuleRefs)
		}
		d.before = before // for who sees it for the first time, the older policy is in force, and never a newer
		d.put(attest.MainRef, after)
		d.ok(os.RemoveAll(os.Getenv("ASSENT_HOME")))
	})
	attack(t, "undoing a policy", func(d *world) {
		p := d.merged(d.altered("policies/approvals.yaml", "  low: []", "  low: [{role: human, count: 1}]"))
		cur, err := d.Session(d.Context())
		d.ok(err)
		r, diags, err := propose.Undo(cur, p)
		d.ok(err)
		if diags.HasErrors() {
			d.Fatal(diags)
		}
		undo := d.request("kublai", r.Edits...)
		undo.Proposal = r.Proposal
		out := d.asked(undo)
		d.approved(out.Pull.ID, "mallory", "ada")
		d.tier(out.Pull.ID, policy.Critical)
		d.holds(out.Pull.ID, "needs 2 approvals by humans")
	})
	attack(t, "reverting a policy by hand", func(d *world) {
		_, after := stricter(d)
		d.git("worktree", "add", "-f", "-q", d.dir+"-tree", "main")
		d.git("-C", d.dir+"-tree", "revert", "--no-edit", "-m", "1", after.String())
		d.because(d.blocked(), "it belongs to no proposal")
	})
	attack(t, "bringing an earlier text back unsaid", func(d *world) {
		old := skill("bowline")
		d.merged(skill("bowline", "\nNever over water.\n"))
		out := d.asked(d.request("kublai", old))
		d.reportHas(out.Pull.ID, validate.RuleCircular)
		d.approved2(out.Pull.ID, "ada", "bob")
		d.holds(out.Pull.ID, "validation found")
	})
	attack(t, "bringing an earlier text back as the undo of something else", func(d *world) {
		old := skill("bowline")
		d.merged(skill("bowline", "\nNever over water.\n"))
		other := d.merged(skill("sheet-bend"))
		r := d.request("kublai", old)
		r.Proposal.Kind, r.Proposal.Undoes = proposal.Undo, other.ID
		out := d.asked(r)
		d.reportHas(out.Pull.ID, validate.RuleCircular)
		d.approved2(out.Pull.ID, "ada", "bob")
		d.holds(out.Pull.ID, "validation found")
	})
	const long = "\nHold the standing part in your left hand, form a small loop near its end, bring the free strand up from below, " +
		"lead it once behind, then down again through the same eye, and tighten slowly while somebody watches whether both legs lie flat.\n"
	// copied returns content that is in force already, under another name.
	copied := func(d *world) tree.Edit {
		d.merged(skill("sheet-bend", long))
		e := skill("sheet-bend", long)
		e.Path = "skills/sailors-knot/SKILL.md"
		e.Content = []byte(strings.ReplaceAll(content(e), "name: sheet-bend", "name: sailors-knot"))
		return e
	}
	attack(t, "bringing a duplicate as a restoration", func(d *world) {
		r := d.request("kublai", copied(d))
		r.Proposal.Kind = proposal.Restore
		out := d.asked(r)
		d.approved2(out.Pull.ID, "ada", "bob")
		d.holds(out.Pull.ID, "validation found")
	})
	attack(t, "a duplicate that supersedes what stays", func(d *world) {
		out := d.asked(d.request("kublai", copied(d), file("skills/sailors-knot/capability.yaml", "kind: skill\nversion: 2.0.0\nstatus: active\nsupersedes: sheet-bend\n")))
		d.approved2(out.Pull.ID, "ada")
		d.holds(out.Pull.ID, "validation found")
	})
}

// blocked returns the reason why main is blocked.
func (d *world) blocked() string {
	d.Helper()
	cur := d.unchanged()
	if len(cur.Blocked) == 0 {
		if !d.Failed() {
			d.Error("nothing is blocked")
		}
		return ""
	}
	return cur.Blocked[len(cur.Blocked)-1].Why
}

// approved2 signs an approval without the program, which refuses to sign under errors.
func (d *world) approved2(id string, who ...string) {
	d.Helper()
	for _, name := range who {
		rec := d.approval(id)
		d.filed(id, rec, d.signed(name, rec))
	}
}

// rejected2 records a rejection without the engine.
func (d *world) rejected2(id, who string) {
	d.Helper()
	rec := d.approval(id)
	rec.Decision, rec.Reason = review.Reject, "no"
	d.filed(id, rec, d.signed(who, rec))
}

// Main gets only the content that the gate judged, even if the merge was made by hand.
func TestAttackHiddenInMerge(t *testing.T) {
	both := func(d *world) string {
		p := d.proposed("kublai", skill("clove-hitch"))
		d.approved(p.ID, "ada", "bob")
		return p.ID
	}
	attack(t, "a merge that brings more", func(d *world) {
		id := both(d)
		_, ex := d.examined(id)
		more, err := d.Repo.WriteTree(ex.Result.Tree, []tree.Edit{skill("granny-knot")})
		d.ok(err)
		d.forged(forgery{id: id, tree: more}, "its tree is not what merging")
	})
	attack(t, "a merge that nobody approved", func(d *world) {
		d.holds(d.proposed("kublai", skill("clove-hitch")).ID, "needs 1 approval by a lead")
	})
	attack(t, "a conflict resolved by hand", func(d *world) {
		p := d.proposed("kublai", skill("bowline", "\nKeep away from the edge.\n"))
		d.approved(p.ID, "ada", "bob")
		d.merged(skill("bowline", "\nTie it twice.\n"))
		resolved, err := d.Repo.WriteTree(d.treeOf(d.main()), []tree.Edit{skill("bowline", "\nGo to the edge.\n")})
		d.ok(err)
		d.forged(forgery{id: p.ID, tree: resolved}, "its tree is not what merging")
	})
	attack(t, "an update from main that hides an edit", func(d *world) {
		id := both(d)
		p, err := d.Forge.Get(d.Context(), id)
		d.ok(err)
		d.merged(skill("sheet-bend"))
		result, err := d.Result(d.main(), p.Head)
		d.ok(err)
		hidden, err := d.Repo.WriteTree(result.Tree, []tree.Edit{skill("clove-hitch", "\nThen untie all others.\n")})
		d.ok(err)
		d.pushed(p, d.commitTree(gitstore.Person{Name: "Mallory", Email: "mallory@example.org", When: d.tick()}, "Merge branch 'main'", hidden, p.Head, d.main()))
		d.holds(id, "it was given on another version")
	})
	attack(t, "an update from main that drops what main has", func(d *world) {
		id := both(d)
		p, err := d.Forge.Get(d.Context(), id)
		d.ok(err)
		d.merged(skill("sheet-bend"))
		d.pushed(p, d.commit("Merge branch 'main'", []tree.Hash{p.Head, d.main()})) // as merge -s ours
		d.reportHas(id, validate.RuleRewritten)
		d.holds(id, "validation found")
	})
	attack(t, "git merge on main", func(d *world) {
		p, err := d.Forge.Get(d.Context(), both(d))
		d.ok(err)
		d.git("worktree", "add", "-f", "-q", d.dir+"-tree", "main")
		d.git("-C", d.dir+"-tree", "merge", "-q", "--no-ff", "-m", "Merge it", p.Head.String())
		d.because(d.blocked(), "no attestation says that it merges proposal")
	})
	attack(t, "three parents", func(d *world) {
		id := both(d)
		p, err := d.Forge.Get(d.Context(), id)
		d.ok(err)
		d.forged(forgery{id: id, parents: []tree.Hash{d.main(), p.Head, d.commit("Other", []tree.Hash{d.main()}, skill("granny-knot"))}},
			"its parents are not those that were judged")
	})
	attack(t, "carried by an approved proposal", func(d *world) {
		id := both(d)
		d.straight("Sneak in", skill("granny-knot"))
		p, err := d.Forge.Get(d.Context(), id)
		d.ok(err)
		result, err := d.Result(d.main(), p.Head)
		d.ok(err)
		d.forged(forgery{id: id, tree: result.Tree}, "it brings changes that its proposal does not make")
	})
	attack(t, "history of another repository", func(d *world) {
		id := both(d)
		alien := d.commit("From elsewhere", nil, skill("granny-knot"))
		d.forged(forgery{id: id, tree: d.treeOf(alien), parents: []tree.Hash{d.main(), alien}}, "no history in common")
	})
}

// The right to approve is checked at the merge, not at the approval.
func TestAttackChangedRoles(t *testing.T) {
	attack(t, "a revoked key", func(d *world) {
		p := d.proposed("kublai", skill("bowline", "\nThen pull.\n"))
		d.approved(p.ID, "mallory")
		public := string(d.read(d.key("mallory") + ".pub"))
		d.merged(d.altered("policies/roles.yaml", `keys: ["`+public[:len(public)-1]+`"], emails: [mallory`, `emails: [mallory`))
		d.holds(p.ID, "the base's roles.yaml does not know who that is")
	})
	attack(t, "an expired entry", func(d *world) {
		p := d.proposed("kublai", skill("bowline", "\nThen pull.\n"))
		d.approved(p.ID, "mallory")
		d.merged(d.altered("policies/roles.yaml", `emails: [mallory`, `until: "2026-01-01", emails: [mallory`))
		d.holds(p.ID, "their entry in roles.yaml has expired")
	})
	attack(t, "a role taken away", func(d *world) {
		p := d.proposed("kublai", skill("bowline", "\nThen pull.\n"))
		d.approved(p.ID, "mallory")
		d.merged(d.altered("policies/roles.yaml", "lead: [ada, bob, mallory, mongke]", "lead: [ada, bob, mongke]"))
		d.holds(p.ID, "needs 1 approval by a lead (")
	})
	attack(t, "a key that is the proposer's now", func(d *world) {
		p := d.proposed("kublai", skill("bowline", "\nThen pull.\n"))
		d.approved(p.ID, "mallory")
		public := string(d.read(d.key("mallory") + ".pub"))
		key := `keys: ["` + public[:len(public)-1] + `"], `
		d.merged(d.altered("policies/roles.yaml", key+"emails: [mallory", "emails: [mallory", "kublai: {", "kublai: {"+key, "lead: [ada, bob,", "lead: [kublai, ada, bob,"))
		d.holds(p.ID, "proposed it and cannot approve it")
	})
	attack(t, "a threshold that rose", func(d *world) {
		p := d.proposed("kublai", skill("bowline", "\nThen pull.\n"))
		d.approved(p.ID, "mallory")
		d.merged(d.altered("policies/approvals.yaml", "  low: []", "  low: [{role: human, count: 1}]"))
		d.holds(p.ID, "needs 1 approval by a human (")
	})
}

// Removing and restoring content pass the gate like any other change.
func TestAttackReviveOrDelete(t *testing.T) {
	attack(t, "archiving", func(d *world) {
		p := d.proposed("kublai", tree.Edit{Path: "skills/bowline/SKILL.md", Remove: true})
		d.approved(p.ID, "mallory", "mongke")
		d.tier(p.ID, policy.High)
		d.holds(p.ID, "bowline is taken away from those who use it")
	})
	attack(t, "retiring by its record", func(d *world) {
		p := d.proposed("kublai", d.altered("skills/splice/capability.yaml", "status: active", "status: deprecated", "1.0.0", "1.0.1"))
		d.approved(p.ID, "mallory", "mongke")
		d.tier(p.ID, policy.High)
		d.holds(p.ID, "splice is taken away from those who use it")
	})
	attack(t, "undoing what closed a hole", func(d *world) {
		p := d.merged(tree.Edit{Path: "skills/bowline/SKILL.md", Remove: true})
		cur, err := d.Session(d.Context())
		d.ok(err)
		r, _, err := propose.Undo(cur, p)
		d.ok(err)
		undo := d.request("mongke", r.Edits...)
		undo.Proposal = r.Proposal
		out := d.asked(undo)
		d.approved(out.Pull.ID, "mongke")
		d.tier(out.Pull.ID, policy.Medium)
		d.holds(out.Pull.ID, "proposed it and cannot approve it")
	})
	attack(t, "merging what was rejected", func(d *world) {
		p := d.proposed("kublai", skill("bowline", "\nThen pull.\n"))
		d.approved(p.ID, "mallory")
		rec := d.approval(p.ID)
		rec.Decision, rec.Reason = "reject", "dangerous"
		d.filed(p.ID, rec, d.signed("ada", rec))
		cur, err := d.Session(d.Context())
		d.ok(err)
		pull, err := d.Forge.Get(d.Context(), p.ID)
		d.ok(err)
		_, err = propose.Reopen(d.Context(), cur, pull, pull.Author)
		d.ok(err)
		d.holds(p.ID, "ada rejected it: dangerous")
	})
	for _, decision := range []review.Decision{review.Revoke, review.RequestChanges, review.Reject} {
		attack(t, string(decision)+" after the merge, dated before", func(d *world) {
			p := d.proposed("kublai", skill("clove-hitch"))
			d.approved(p.ID, "ada")
			rec := d.approval(p.ID)
			if out := d.merge(p.ID); !out.Merged {
				d.Fatal(out.Refused)
			}
			d.begin()
			rec.Decision = decision
			if decision.NeedsReason() {
				rec.Reason = "no"
			}
			d.filed(p.ID, rec, d.signed("ada", rec))
		})
	}
	attack(t, "deleting on main", func(d *world) {
		d.straight("Tidy up", tree.Edit{Path: "skills/bowline/SKILL.md", Remove: true})
		d.because(d.blocked(), "it belongs to no proposal")
	})
	attack(t, "deleting the objects", func(d *world) {
		p := d.proposed("kublai", skill("bowline", "\nThen pull.\n"))
		d.git("update-ref", "-d", "refs/heads/"+p.Branch)
		d.git("reflog", "expire", "--expire=all", "--all")
		d.git("gc", "-q", "--prune=now")
		d.reopen()
		got, err := d.Forge.Get(d.Context(), p.ID)
		d.ok(err)
		if _, err := d.Repo.Snapshot(got.Head); errors.Is(err, gitstore.ErrNoObject) {
			d.succeeds("the proposal's commits are gone")
		}
		d.holds(p.ID, "needs 1 approval by a lead")
	})
}
