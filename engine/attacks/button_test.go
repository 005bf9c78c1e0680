package attacks_test

import (
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// A commit that looks like a service's merge counts as one only if a witness attests it. It is
// then judged by its own date and by the date of the attestation.
func TestAttackButton(t *testing.T) {
	const pressed = "Merge pull request 'learn to tie a knot' (#1) into main"
	signed := func(d *world) forge.Pull {
		p := d.proposed("kublai", skill("clove-hitch"))
		d.approved(p.ID, "ada", "bob")
		return p
	}
	at := func(merged time.Time, more ...func(*attest.Attestation)) func(*attest.Attestation) {
		return func(a *attest.Attestation) {
			a.Merged = merged
			for _, f := range more {
				f(a)
			}
		}
	}
	attack(t, "attested by nobody", func(d *world) {
		d.forged(forgery{id: signed(d).ID, message: pressed, alter: at(d.tick())}, "no signature vouches for that")
	})
	attack(t, "attested without the role", func(d *world) {
		d.forged(forgery{id: signed(d).ID, message: pressed, signer: "mallory", alter: at(d.tick())}, "has not the role witness")
	})
	attack(t, "a merge of assent's that does not say so", func(d *world) {
		d.forged(forgery{id: signed(d).ID, message: pressed, signer: "warden"}, "claims a merge by assent")
	})
	attack(t, "approved after the merge", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		merged := d.tick()
		d.approved(p.ID, "ada", "bob")
		d.forged(forgery{id: p.ID, message: pressed, signer: "warden", alter: at(merged)}, "judged again it is waiting")
	})
	attack(t, "approved after the merge, and dated back beside the signature", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		merged := d.tick()
		rec := d.approval(p.ID)
		s := d.signed("ada", rec)
		d.record(p.ID, journal.Event{Kind: "review", By: "ada", At: merged.Add(-time.Second), Fields: map[string]string{
			"Decision": string(rec.Decision), "Head": rec.Head.String(), "Effective": rec.Tree,
		}, Files: map[string][]byte{"review.json": s.Record, "review.sig": s.Signature}})
		d.forged(forgery{id: p.ID, message: pressed, signer: "warden", alter: at(merged)}, "judged again it is waiting")
	})
	attack(t, "rejected before it was attested", func(d *world) {
		p := signed(d)
		merged := d.tick()
		d.rejected2(p.ID, "bob")
		d.forged(forgery{id: p.ID, message: pressed, signer: "warden", alter: at(merged)}, "not any more when that was attested")
	})
	attack(t, "dated back", func(d *world) {
		p := signed(d)
		d.forged(forgery{id: p.ID, message: pressed, signer: "warden", alter: at(d.tick().Add(-time.Hour))}, "which cannot be")
	})
	attack(t, "attested before it was merged", func(d *world) {
		p := signed(d)
		merged := d.tick()
		d.forged(forgery{id: p.ID, message: pressed, signer: "warden", alter: at(merged, func(a *attest.Attestation) { a.At = merged.Add(-time.Hour) })}, "which cannot be")
	})
	attack(t, "nobody approved", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		d.forged(forgery{id: p.ID, message: pressed, signer: "warden", alter: at(d.tick())}, "judged again it is waiting")
	})
	attack(t, "its tree upon what nobody judged", func(d *world) {
		p := signed(d)
		d.straight("a part of it", file("README.md", "x\n"), skill("granny-knot"))
		_, ex := d.examined(p.ID)
		d.forged(forgery{id: p.ID, message: pressed, signer: "warden", tree: ex.Result.Tree, parents: []tree.Hash{d.main()}, alter: at(d.tick(), func(a *attest.Attestation) { a.Head = p.Head })},
			"its parents are not those that were judged")
	})
	attack(t, "squashed by assent", func(d *world) {
		p := signed(d)
		d.forged(forgery{id: p.ID, signer: "warden", parents: []tree.Hash{d.main()}, alter: func(a *attest.Attestation) { a.Head = p.Head }},
			"its parents are not those that were judged")
	})
}

func buttonDefences() map[string]defence {
	const button = "TestAttackButton/"
	return map[string]defence{
		"a-witness-attests-afterwards": {attack: button + "attested by nobody"},
		"assent-says-what-it-merged":   {attack: button + "a merge of assent's that does not say so"},
		"approved-before-the-merge":    {attack: button + "approved after the merge"},
		"still-allowed-when-attested":  {attack: button + "rejected before it was attested"},
	}
}
