package attacks_test

import (
	"context"
	"errors"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/flows/reconcile"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/approve"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// No proposer can approve their own work, under any name.
func TestAttackSelfApproval(t *testing.T) {
	attack(t, "own account", func(d *world) {
		p := d.proposed("mallory", skill("bowline", "\nThen pull.\n"))
		d.approved(p.ID, "mallory")
		d.holds(p.ID, "proposed it and cannot approve it")
	})
	attack(t, "a second account", func(d *world) {
		r := d.request("kublai", skill("bowline", "\nThen pull.\n"))
		r.By = forge.Actor{Name: "kublai", Email: "m@elsewhere.example"} // Mallory's other address
		p := d.asked(r).Pull
		d.approved(p.ID, "mallory")
		d.holds(p.ID, "proposed it and cannot approve it")
	})
	attack(t, "a commit under a second address", func(d *world) {
		p := d.proposed("kublai", skill("bowline", "\nThen pull.\n"))
		next := d.commitAs("Somebody <M@Elsewhere.Example>", "More", []tree.Hash{p.Head}, skill("bowline", "\nThen push.\n"))
		_, err := d.Forge.Push(d.Context(), p.ID, forge.Push{By: forge.Actor{Name: "kublai"}, Old: p.Head, New: next, At: d.tick()})
		d.ok(err)
		d.approved(p.ID, "mallory")
		d.holds(p.ID, "wrote a commit of it and cannot approve it")
	})
	attack(t, "a commit in the agent's name", func(d *world) {
		p := d.proposed("kublai", skill("bowline", "\nThen pull.\n"))
		top, err := d.Repo.WriteTree(d.treeOf(p.Head), []tree.Edit{skill("bowline", "\nThen push.\n")})
		d.ok(err)
		next, err := d.Repo.WriteCommit(gitstore.Commit{
			Tree: top, Parents: []tree.Hash{p.Head}, Message: "More\n",
			Author:    gitstore.Person{Name: "kublai", Email: "kublai@agents.example", When: d.tick()},
			Committer: gitstore.Person{Name: "Mallory", Email: "m@elsewhere.example", When: d.tick()},
		}, nil)
		d.ok(err)
		_, err = d.Forge.Push(d.Context(), p.ID, forge.Push{By: forge.Actor{Name: "kublai"}, Old: p.Head, New: next, At: d.tick()})
		d.ok(err)
		d.approved(p.ID, "mallory")
		d.holds(p.ID, "wrote a commit of it and cannot approve it")
	})
	attack(t, "a push by key", func(d *world) {
		p := d.proposed("kublai", skill("bowline", "\nThen pull.\n"))
		next := d.commitAs("kublai <kublai@agents.example>", "More", []tree.Hash{p.Head}, skill("bowline", "\nThen push.\n"))
		_, err := d.Forge.Push(d.Context(), p.ID, forge.Push{By: forge.Actor{Key: string(d.who["mallory"].Fingerprint())}, Old: p.Head, New: next, At: d.tick()})
		d.ok(err)
		d.approved(p.ID, "mallory")
		d.holds(p.ID, "pushed to it and cannot approve it")
	})
	attack(t, "a branch of the inbox on a service", func(d *world) {
		b := d.commitAs("kublai <kublai@agents.example>", "More", []tree.Hash{d.main()}, skill("clove-hitch"))
		d.put("refs/heads/inbox/kublai/more", b)
		d.Forge = watched{d.Forge, "bob"}
		_, err := reconcile.Run(d.Context(), d.Workspace, reconcile.Options{})
		d.ok(err)
		id := reconcile.IDOf(reconcile.Branch{Name: "inbox/kublai/more", Commit: b})
		d.approved(id, "bob")
		d.holds(id, "pushed to it and cannot approve it")
	})
	for how, commit := range map[string]func(d *world) tree.Hash{
		"adopted from main": func(d *world) tree.Hash { return d.straight("More", skill("bowline", "\nThen pull.\n")) },
		"adopted from main, under a second address": func(d *world) tree.Hash {
			return d.commitAs("Somebody <M@Elsewhere.Example>", "More", []tree.Hash{d.main()}, skill("bowline", "\nThen pull.\n"))
		},
		"adopted from main, in the agent's name": func(d *world) tree.Hash {
			top, err := d.Repo.WriteTree(d.treeOf(d.main()), []tree.Edit{skill("bowline", "\nThen pull.\n")})
			d.ok(err)
			h, err := d.Repo.WriteCommit(gitstore.Commit{
				Tree: top, Parents: []tree.Hash{d.main()}, Message: "More\n",
				Author:    gitstore.Person{Name: "kublai", Email: "kublai@agents.example", When: d.tick()},
				Committer: gitstore.Person{Name: "Mallory", Email: "m@elsewhere.example", When: d.tick()},
			}, nil)
			d.ok(err)
			d.ok(d.Repo.Sync())
			return h
		},
		"adopted from main, on a branch that was merged there": func(d *world) tree.Hash {
			side := d.commit("More", []tree.Hash{d.main()}, skill("bowline", "\nThen pull.\n"))
			return d.commitTree(gitstore.Person{Name: "kublai", Email: "kublai@agents.example", When: d.tick()}, "Merge", d.treeOf(side), d.main(), side)
		},
	} {
		attack(t, how, func(d *world) {
			d.put(attest.MainRef, commit(d))
			cur, err := d.Session(d.Context())
			d.ok(err)
			r, _, err := propose.Adopt(cur)
			d.ok(err)
			as := d.request("kublai")
			r.By, r.Author = as.By, as.Author
			p := d.asked(r).Pull
			d.approved(p.ID, "mallory")
			d.holds(p.ID, "pushed to it and cannot approve it")
		})
	}
	attack(t, "a shared bot", func(d *world) {
		p := d.proposed("mongke", skill("bowline", "\nThen pull.\n"))
		d.approved(p.ID, "mongke")
		d.holds(p.ID, "proposed it and cannot approve it")
	})
	attack(t, "a bot for what needs a person", func(d *world) {
		p := d.proposed("kublai", tree.Edit{Path: "skills/bowline/SKILL.md", Remove: true})
		d.approved(p.ID, "mongke", "mallory")
		d.holds(p.ID, "needs 1 approval by a human (")
	})
	attack(t, "a forged author lowers no number", func(d *world) {
		p := d.proposed("kublai", d.altered("policies/limits.yaml", "expiry: 7d", "expiry: 365d"))
		next := d.commitAs("Bob <bob@example.org>", "More", []tree.Hash{p.Head}, d.altered("policies/limits.yaml", "expiry: 7d", "expiry: 300d"))
		_, err := d.Forge.Push(d.Context(), p.ID, forge.Push{By: forge.Actor{Name: "kublai"}, Old: p.Head, New: next, At: d.tick()})
		d.ok(err)
		d.approved(p.ID, "ada")
		d.holds(p.ID, "needs 2 approvals by humans, has 1")
	})
	attack(t, "a forged trailer", func(d *world) {
		p := d.proposed("kublai", skill("bowline", "\nThen pull.\n"))
		next := d.commit("More\n\nAssent-Approved-By: ada\nReviewed-by: Ada <ada@example.org>\nSigned-off-by: Bob <bob@example.org>", []tree.Hash{p.Head}, skill("bowline", "\nThen push.\n"))
		d.pushed(p, next)
		d.holds(p.ID, "needs 2 approvals by humans (")
	})
	attack(t, "a review without a signature", func(d *world) {
		p := d.proposed("kublai", skill("bowline", "\nThen pull.\n"))
		rec := d.approval(p.ID)
		data, err := rec.Encode()
		d.ok(err)
		for _, s := range []review.Signed{{}, {Record: data}, {Record: data, Signature: []byte("x")}} {
			d.filed(p.ID, rec, s)
		}
		d.holds(p.ID, "needs 1 approval by a lead (")
	})
	attack(t, "a key that nobody lists", func(d *world) {
		p := d.proposed("kublai", skill("bowline", "\nThen pull.\n"))
		_, err := approve.Run(d.Context(), d.Workspace, approve.Decision{Proposal: p.ID, Decision: review.Approve, Signer: d.who["second"]})
		var unknown *approve.NotListed
		if !errors.As(err, &unknown) {
			d.Errorf("a stranger signs: %v", err)
		}
		rec := d.approval(p.ID)
		d.filed(p.ID, rec, d.signed("second", rec))
		d.holds(p.ID, "the base's roles.yaml does not know who that is")
	})
	attack(t, "a push that nobody saw", func(d *world) {
		p := d.proposed("kublai", skill("bowline", "\nThen pull.\n"))
		d.pushed(p, d.commitAs("kublai <kublai@agents.example>", "More", []tree.Hash{p.Head}, skill("bowline", "\nThen push.\n")))
		d.approved(p.ID, "mallory")
		d.holds(p.ID, "it cannot be seen who pushed to it")
	})
	attack(t, "a push that the journal leaves out", func(d *world) {
		p := d.proposed("kublai", skill("bowline", "\nThen pull.\n"))
		d.pushed(p, d.commitAs("kublai <kublai@agents.example>", "More", []tree.Hash{p.Head}, skill("bowline", "\nThen push.\n")))
		rec := d.approval(p.ID)
		d.filed(p.ID, rec, d.signed("mallory", rec))
		d.holds(p.ID, "it cannot be seen who pushed to it")
	})
	attack(t, "one human as two", func(d *world) {
		p := d.proposed("kublai", d.altered("policies/limits.yaml", "expiry: 7d", "expiry: 365d"))
		rec := d.approval(p.ID)
		for _, nonce := range []string{"0123456789abcdef", "fedcba9876543210"} {
			rec.Nonce = nonce
			d.filed(p.ID, rec, d.signed("ada", rec))
		}
		d.holds(p.ID, "needs 2 approvals by humans, has 1")
	})
	attack(t, "a journal that says who signed", func(d *world) {
		p := d.proposed("kublai", skill("bowline", "\nThen pull.\n"))
		rec := d.approval(p.ID)
		d.filed(p.ID, rec, d.signed("second", rec))
		d.holds(p.ID, "the base's roles.yaml does not know who that is")
	})
}

// A signature for one record is worth nothing for another.
func TestAttackReplayedReview(t *testing.T) {
	// both returns an approved proposal, and the one that its approval is copied to.
	both := func(d *world) (a, b forge.Pull, rec review.Record) {
		a, b = d.proposed("kublai", skill("bowline", "\nThen pull.\n")), d.proposed("kublai", skill("reef-knot", "\nThen untie all others.\n"))
		return a, b, d.approval(a.ID)
	}
	attack(t, "on another proposal", func(d *world) {
		_, b, rec := both(d)
		d.filed(b.ID, rec, d.signed("ada", rec))
		d.holds(b.ID, "it was signed for proposal")
	})
	attack(t, "on another proposal of the same content", func(d *world) {
		a := d.proposed("kublai", skill("bowline", "\nThen pull.\n"))
		rec := d.approval(a.ID)
		b := d.proposed("kublai", skill("bowline", "\nThen pull hard.\n"))
		d.pushed(b, d.commit("The same", []tree.Hash{b.Head}, skill("bowline", "\nThen pull.\n")))
		b.Head = d.head(b)
		d.approved(b.ID, "bob")
		rec.Head, rec.Tree = b.Head, d.approval(b.ID).Tree
		d.filed(b.ID, rec, d.signed("ada", rec))
		d.holds(b.ID, "needs 2 approvals by humans, has 1", "it was signed for proposal")
	})
	attack(t, "in another workspace", func(d *world) {
		_, b, _ := both(d)
		rec := d.approval(b.ID)
		rec.Workspace = "0000000000000000000000000000000000000000"
		d.filed(b.ID, rec, d.signed("ada", rec))
		d.holds(b.ID, "it was signed for another workspace")
	})
	attack(t, "of another decision", func(d *world) {
		_, b, _ := both(d)
		rec := d.approval(b.ID)
		rec.Decision, rec.Reason = review.RequestChanges, "no"
		s := d.signed("ada", rec)
		rec.Decision, rec.Reason = review.Approve, ""
		data, err := rec.Encode()
		d.ok(err)
		d.filed(b.ID, rec, review.Signed{Record: data, Signature: s.Signature})
		d.holds(b.ID, "review signature")
	})
	attack(t, "as a signature of something else", func(d *world) {
		_, b, _ := both(d)
		rec := d.approval(b.ID)
		data, err := rec.Encode()
		d.ok(err)
		for _, sign := range []func() ([]byte, error){
			func() ([]byte, error) { return review.SignCommit(data, d.who["ada"]) },
			func() ([]byte, error) { return review.SignCheckpoint(data, d.who["ada"]) },
		} {
			sig, err := sign()
			d.ok(err)
			d.filed(b.ID, rec, review.Signed{Record: data, Signature: sig})
		}
		d.holds(b.ID, "review signature")
	})
	attack(t, "dated ahead", func(d *world) {
		_, b, _ := both(d)
		rec := d.approval(b.ID)
		rec.At = rec.At.AddDate(1, 0, 0)
		d.filed(b.ID, rec, d.signed("ada", rec))
		d.holds(b.ID, "after the clock here")
	})
	attack(t, "after it expired", func(d *world) {
		_, b, _ := both(d)
		rec := d.approval(b.ID)
		rec.At = rec.At.AddDate(0, 0, -30)
		d.filed(b.ID, rec, d.signed("ada", rec))
		d.holds(b.ID, "the approval by ada has expired")
	})
	attack(t, "an older one after the newer", func(d *world) {
		_, b, _ := both(d)
		old := d.approval(b.ID)
		d.filed(b.ID, old, d.signed("ada", old))
		rec := d.approval(b.ID)
		rec.Decision, rec.Reason, rec.Nonce = review.RequestChanges, "no", "fedcba9876543210"
		d.filed(b.ID, rec, d.signed("ada", rec))
		d.filed(b.ID, old, d.signed("ada", old))
		d.holds(b.ID, "ada asked for changes: no")
	})
}

// watched is a forge whose service recorded the pusher to the inbox.
type watched struct {
	forge.Forge
	login string
}

func (w watched) Traits() forge.Traits { return forge.Traits{SeesPushers: true} }

func (w watched) WhoPushed(context.Context, string, tree.Hash) (string, []forge.Actor, error) {
	return "gitea", []forge.Actor{{Login: w.login}}, nil
}
