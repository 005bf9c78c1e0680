package attacks_test

import (
	"testing"

	"github.com/assent-dev/assent/engine/attest"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/journal"
)

// What accounts decided on a service counts by a witness's word, and by nothing else.
func TestAttackAccounts(t *testing.T) {
	proposed := func(d *world) forge.Pull { return d.proposed("kublai", skill("clove-hitch")) }
	// approvals are what a service would have shown, had anybody decided there.
	approvals := func(head forge.Pull, logins ...string) func(*attest.Attestation) {
		return func(a *attest.Attestation) {
			a.Service = "gitea"
			for _, login := range logins {
				a.Observed = append(a.Observed, attest.Observed{Login: login, Decision: "approve", Head: head.Head, At: a.At})
			}
		}
	}
	attack(t, "approvals that nobody saw", func(d *world) {
		p := proposed(d)
		d.forged(forgery{id: p.ID, alter: approvals(p, "ada", "bob")}, "no signature vouches for that")
	})
	attack(t, "vouched for without the role", func(d *world) {
		p := proposed(d)
		d.forged(forgery{id: p.ID, signer: "mallory", alter: approvals(p, "ada", "bob")}, "has not the role witness")
	})
	attack(t, "vouched for by a key that nobody lists", func(d *world) {
		p := proposed(d)
		d.forged(forgery{id: p.ID, signer: "second", alter: approvals(p, "ada", "bob")}, "has not the role witness")
	})
	attack(t, "another head than was approved", func(d *world) {
		p := proposed(d)
		other := p
		other.Head = d.main()
		d.forged(forgery{id: p.ID, signer: "warden", alter: approvals(other, "ada", "bob")}, "given on another version")
	})
	attack(t, "another service", func(d *world) {
		p := proposed(d)
		d.forged(forgery{id: p.ID, signer: "warden", alter: func(a *attest.Attestation) {
			approvals(p, "ada", "bob")(a)
			a.Service = "github" // where these accounts are somebody else's
		}}, "judged again it is waiting")
	})
	attack(t, "a journal's word beside a witness's", func(d *world) {
		p := proposed(d)
		for _, login := range []string{"ada", "bob"} {
			d.record(p.ID, journal.Event{Kind: "review", By: login, Fields: map[string]string{
				"Decision": "approve", "Head": p.Head.String(),
			}, Files: map[string][]byte{"actor.json": []byte(`{"login":"` + login + `"}`)}})
		}
		d.forged(forgery{id: p.ID, signer: "warden", alter: approvals(p, "a-passer-by")}, "judged again it is waiting")
	})
}

func accountDefences() map[string]defence {
	const accounts = "TestAttackAccounts/"
	return map[string]defence{
		"observed-reviews-need-a-witness": {attack: accounts + "approvals that nobody saw", with: []string{"witnesses-hold-the-role"}},
		"witnesses-hold-the-role":         {attack: accounts + "vouched for without the role"},
		"journals-vouch-for-nobody":       {attack: accounts + "a journal's word beside a witness's"},
	}
}
