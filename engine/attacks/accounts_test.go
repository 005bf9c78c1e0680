package attacks_test

import (
	"context"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// Decisions of accounts on a service count only if a witness attests them.
func TestAttackAccounts(t *testing.T) {
	proposed := func(d *world) forge.Pull { return d.proposed("kublai", skill("clove-hitch")) }
	// approvals returns reviews as a service would have shown them if the accounts had decided.
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
			a.Service = "github" // there these accounts belong to other people
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
	// An account approves a head. The same head means a different change once main holds a part of
	// the branch.
	half := func(name, why string, takenIn func(d *world, part forge.Pull)) {
		attack(t, name, func(d *world) {
			part, whole := d.stacked()
			d.onService(whole, "ada", "bob")
			takenIn(d, part)
			out := d.merge(whole.ID)
			if out.Merged {
				d.succeeds("what is left of %s merges", whole.ID)
			}
			d.because(out.Refused, why)
		})
	}
	half("half of what they approved", "main took in a part of what was approved", func(d *world, part forge.Pull) { d.takenBack(part.ID) })
	half("half of what they approved, merged without a witness", "no witness says since when", func(d *world, part forge.Pull) {
		witness := d.Attester
		d.Attester = nil
		d.takenBack(part.ID)
		d.Attester = witness
	})
	half("half of what they approved, pushed to main", "no witness says since when", func(d *world, part forge.Pull) {
		c, err := d.Repo.Commit(part.Head)
		d.ok(err)
		d.put(attest.MainRef, c.Parents[1])
		d.straight("Take it back", tree.Edit{Path: skill("clove-hitch").Path, Remove: true})
	})
}

// shown is a forge that shows the decisions of accounts, as a service does.
type shown struct {
	forge.Forge
	reviews map[string][]forge.Review
}

// Closely implements forge.Forge.
func (s shown) Closely() forge.Forge { return s }

// Activity implements forge.Forge.
func (s shown) Activity(ctx context.Context, id string) (forge.Activity, error) {
	a, err := s.Forge.Activity(ctx, id)
	a.Service, a.Reviews = "gitea", append(a.Reviews, s.reviews[id]...)
	return a, err
}

// onService records approvals of a proposal by accounts on its page, seen by a witness who merges.
func (d *world) onService(p forge.Pull, logins ...string) {
	d.Helper()
	there := shown{d.Forge, map[string][]forge.Review{}}
	for _, login := range logins {
		there.reviews[p.ID] = append(there.reviews[p.ID], forge.Review{By: forge.Actor{Login: login}, Decision: "approve", Head: p.Head, At: d.tick()})
	}
	d.Forge, d.Attester = there, d.who["warden"]
}

func accountDefences() map[string]defence {
	const accounts = "TestAttackAccounts/"
	return map[string]defence{
		"observed-reviews-need-a-witness": {attack: accounts + "approvals that nobody saw", with: []string{"witnesses-hold-the-role"}},
		"witnesses-hold-the-role":         {attack: accounts + "vouched for without the role"},
		"accounts-approve-what-is-left":   {attack: accounts + "half of what they approved"},
		"journals-vouch-for-nobody":       {attack: accounts + "a journal's word beside a witness's"},
	}
}
