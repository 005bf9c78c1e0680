package attacks_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/format/checkpoint"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/proposals/approve"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// The audit detects a changed record.
func TestAttackAudit(t *testing.T) {
	verified := func(d *world, rule string, witnesses ...audit.Witness) {
		d.Helper()
		d.reopen()
		res, err := audit.Verify(d.Context(), d.Workspace, nil, witnesses...)
		d.ok(err)
		switch {
		case res.Broken == nil:
			d.succeeds("the audit finds nothing")
		case res.Broken.Rule != rule:
			d.Errorf("found by %s (%s), not by %s", res.Broken.Rule, res.Broken.Reason, rule)
		}
	}
	// witness returns a checkpoint of the current state, kept outside the repository.
	witness := func(d *world) audit.Witness {
		res, point, err := audit.Checkpoint(d.Context(), d.Workspace, nil)
		d.ok(err)
		if res.Broken != nil {
			t.Fatalf("broken before: %+v", res.Broken)
		}
		text, err := checkpoint.Sign(point, d.who["bob"])
		d.ok(err)
		return audit.Witness{Name: "kept", Text: text}
	}
	// again rewrites a journal without the events that drop selects.
	again := func(d *world, id string, drop func(journal.Event) bool) {
		d.Helper()
		ref := local.PullPrefix + id
		events, err := journal.Read(d.Repo, ref)
		d.ok(err)
		d.git("update-ref", "-d", ref)
		for _, ev := range events {
			if !drop(ev) {
				d.record(id, ev)
			}
		}
	}
	attack(t, "a merge told otherwise", func(d *world) {
		d.merged(skill("clove-hitch"))
		c, err := d.Repo.Commit(d.main())
		d.ok(err)
		d.put(attest.MainRef, d.commitTree(c.Author, strings.Replace(c.Message, "ada", "bob", 1), c.Tree, c.Parents...))
		d.Setenv("ASSENT_HOME", t.TempDir())
		d.git("update-ref", "refs/heads/x", "main")
		verified(d, audit.RuleMergedElsewhere)
		d.put(attest.MainRef, d.before)
	})
	attack(t, "an objection taken out", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		_, err := approve.Run(d.Context(), d.Workspace, approve.Decision{Proposal: p.ID, Decision: review.RequestChanges, Reason: "no", Signer: d.who["ada"]})
		d.ok(err)
		kept := witness(d)
		again(d, p.ID, func(ev journal.Event) bool { return ev.Kind == "review" })
		verified(d, audit.RuleCheckpointJournal, kept)
	})
	attack(t, "a proposal that never was", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		kept := witness(d)
		d.git("update-ref", "-d", local.PullPrefix+p.ID)
		verified(d, audit.RuleCheckpointJournal, kept)
	})
	attack(t, "main set back where nobody remembers", func(d *world) {
		before := d.main()
		d.merged(d.altered("policies/limits.yaml", "expiry: 7d", "expiry: 1d"))
		kept, after := witness(d), d.main()
		d.put(attest.MainRef, before)
		home := t.TempDir()
		d.Setenv("ASSENT_HOME", home)
		verified(d, audit.RuleCheckpointMain, kept)
		d.put(attest.MainRef, after)
	})
	attack(t, "a signature that was altered", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		rec := d.approval(p.ID)
		s := d.signed("ada", rec)
		d.filed(p.ID, rec, review.Signed{Record: []byte(strings.Replace(string(s.Record), `"nonce":"0`, `"nonce":"1`, 1)), Signature: s.Signature})
		verified(d, audit.RuleReview)
	})
	attack(t, "a journal without its beginning", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		again(d, p.ID, func(ev journal.Event) bool { return ev.Sequence == 1 })
		verified(d, audit.RuleJournal)
	})
	attack(t, "a merge that nobody allowed", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		d.forge(forgery{id: p.ID})
		verified(d, audit.RuleMerge)
	})
	attack(t, "a commit past the gate", func(d *world) {
		d.straight("Sneak in", skill("granny-knot"))
		verified(d, audit.RuleUnattested)
	})
	attack(t, "another's first commit", func(d *world) {
		c, err := d.Repo.Commit(d.before)
		d.ok(err)
		h := d.commitTree(gitstore.Person{Name: "Ada", Email: "ada@example.org", When: d.tick()}, c.Message, c.Tree)
		d.put(attest.MainRef, h)
		d.Setenv("ASSENT_HOME", t.TempDir())
		verified(d, audit.RuleGenesisSignature)
		d.put(attest.MainRef, d.before)
	})
}

// An agent in a loop does not crowd out other agents' proposals.
func TestAttackFlood(t *testing.T) {
	// full opens as many proposals as the policies allow.
	full := func(d *world) {
		d.merged(d.altered("policies/limits.yaml", "open_proposals_per_agent: 20", "open_proposals_per_agent: 3"))
		for i := range 3 {
			d.proposed("kublai", named(i))
		}
	}
	attack(t, "one more", func(d *world) {
		full(d)
		out := d.asked(d.request("kublai", named(7)))
		d.found(out.Diagnostics, propose.RuleOpen)
	})
	attack(t, "one more by another address", func(d *world) {
		full(d)
		r := d.request("kublai", named(7))
		r.By.Email = "other@example.org"
		d.found(d.asked(r).Diagnostics, propose.RuleOpen)
	})
	attack(t, "journals in another's name", func(d *world) {
		d.merged(d.altered("policies/limits.yaml", "open_proposals_per_agent: 20", "open_proposals_per_agent: 3"))
		honest := d.proposed("kublai", named(9))
		user, err := keys.Home()
		d.ok(err)
		d.ok(os.RemoveAll(filepath.Join(user, "opened"))) // as on a machine that did not open it
		d.approved(honest.ID, "ada")
		for i := range 3 { // dated before the honest one
			id := fmt.Sprintf("forged-0000000%d", i)
			head := d.commit("Forged", []tree.Hash{d.main()}, named(i))
			d.put("refs/heads/"+propose.BranchOf(id), head)
			_, err := d.Record.Open(d.Context(), forge.Opening{
				ID: id, Title: "a knot", Branch: propose.BranchOf(id), Base: forge.Main, Head: head,
				Author: forge.Actor{Name: "kublai", Email: "kublai@example.org"}, At: honest.Opened.Add(-time.Hour),
			})
			d.ok(err)
		}
		if out := d.merge(honest.ID); !out.Merged {
			d.succeeds("%s does not merge: %s", honest.ID, out.Refused)
		}
		d.begin()
	})
	attack(t, "one more by a branch in the inbox", func(d *world) {
		full(d)
		d.put("refs/heads/inbox/kublai/more", d.commit("More", []tree.Hash{d.main()}, named(7)))
		out := d.says("reconcile")
		d.because(out, "3 open proposals, the limit is 3")
		if _, err := d.Repo.Ref("refs/heads/inbox/kublai/more"); err != nil {
			d.succeeds("it was opened: %s", out)
		}
	})
	attack(t, "one more by a journal of its own", func(d *world) {
		full(d)
		r := d.request("mongke", named(7))
		out := d.asked(r)
		id := out.Pull.ID
		events, err := journal.Read(d.Repo, local.PullPrefix+id)
		d.ok(err)
		d.git("update-ref", "-d", local.PullPrefix+id)
		for _, ev := range events {
			if ev.Kind == "opened" {
				ev.Files["actor.json"] = []byte(`{"name":"kublai","email":"kublai@example.org"}`)
			}
			d.record(id, ev)
		}
		d.approved2(id, "mallory")
		out2 := d.merge(id)
		if out2.Merged {
			d.begin()
			d.succeeds("it merges beside three others")
		}
		d.because(out2.Refused, "open proposals, at most 3")
	})
	attack(t, "one more in the name of a person", func(d *world) {
		full(d)
		var last forge.Pull
		for i := range 4 {
			last = d.proposed("ada", named(10+i))
		}
		d.approved(last.ID, "mallory", "mongke")
		out := d.merge(last.ID)
		if out.Merged {
			d.begin()
			d.succeeds("it merges beside three others")
		}
		d.because(out.Refused, "ada has 4 open proposals, at most 3")
		d.approved(last.ID, "ada") // who shows that she is one
		if out := d.merge(last.ID); !out.Merged {
			d.Errorf("a person is counted who signed: %s", out.Refused)
		}
		d.begin()
	})
	attack(t, "more under a name that nobody knows", func(d *world) {
		listed := d.altered("policies/roles.yaml", "people:\n", "people:\n  eve: {emails: [eve@example.org]}\n")
		d.found(d.asked(d.request("eve", named(7))).Diagnostics, propose.RuleAgent)
		d.found(d.asked(d.request("eve", listed, named(7))).Diagnostics, propose.RuleAgent)
		d.found(d.asked(d.request("mallet", listed)).Diagnostics, propose.RuleAgent)
		if p := d.proposed("eve", listed); d.merge(p.ID).Merged { // herself, for two humans to decide
			d.succeeds("a stranger listed herself")
		}
	})
	attack(t, "the same again", func(d *world) {
		d.proposed("kublai", named(1))
		d.found(d.asked(d.request("kublai", named(1))).Diagnostics, propose.RuleAgain)
	})
	attack(t, "an objection drowned in approvals", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		rec := d.approval(p.ID)
		rec.Decision, rec.Reason = review.RequestChanges, "no"
		d.filed(p.ID, rec, d.signed("bob", rec))
		for i := range 50 {
			rec := d.approval(p.ID)
			rec.Nonce = fmt.Sprintf("%016d", i)
			d.filed(p.ID, rec, d.signed("mallory", rec))
		}
		d.holds(p.ID, "bob asked for changes")
	})
}

// named returns a skill that resembles no other.
func named(i int) tree.Edit {
	words := []string{"cleat", "halyard", "sheave", "toggle", "fid", "thimble", "marlin", "bight"}
	w := words[i%len(words)]
	return file("skills/"+w+"/SKILL.md", "---\nname: "+w+"\ndescription: Explains the "+w+" and its "+strings.Repeat(w+" ", 3)+"parts. Use when a "+w+" is at hand.\n---\n\n# "+w+
		"\n\nThe "+w+" number "+fmt.Sprint(i*7919)+" stands at the "+words[(i+3)%8]+".\n")
}
