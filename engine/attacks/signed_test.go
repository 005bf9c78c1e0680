package attacks_test

import (
	"testing"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/proposals/merge"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

func signedDefences() map[string]defence {
	const signed = "TestAttackUnsignedMerge/"
	return map[string]defence{
		"attestations-are-signed":      {attack: signed + "announced without a signature", with: []string{"signed-merges-name-their-key"}},
		"signed-merges-name-their-key": {attack: signed + "announced by ada, in a commit that names nobody"},
		"unsigned-merges-are-not-made": {attack: signed + "made on a machine without a key", with: []string{"attestations-are-signed", "signed-merges-name-their-key"}},
	}
}

// If the policies require signed attestations, a merge that every reviewer approved is in force
// only if a human or a witness signed its attestation and its commit names them. Deleting its
// journal then voids nothing in force.
func TestAttackUnsignedMerge(t *testing.T) {
	base := newWorld(t)
	base.Attester = base.who["ada"]
	base.merged(base.altered("policies/security.yaml", "attestations: any", "attestations: signed"))
	p := base.proposed("kublai", skill("clove-hitch"))
	base.approved(p.ID, "ada", "bob")
	message := func(who string) string {
		text := "Merge it\n\n" + attest.ProposalTrailer + ": " + p.ID
		if who != "" {
			text += "\n" + attest.AttesterTrailer + ": " + string(base.who[who].Fingerprint())
		}
		return text
	}
	variant := func(name string, run func(d *world)) {
		t.Run(name, func(t *testing.T) { run(base.clone(t)) })
	}
	const why = "requires"
	variant("announced without a signature", func(d *world) { d.forged(forgery{id: p.ID}, why) })
	variant("announced without a signature, and ada named", func(d *world) { d.forge(forgery{id: p.ID, message: message("ada")}); d.stops() })
	for _, who := range []string{"mallory", "mongke"} {
		variant("announced by "+who, func(d *world) { d.forge(forgery{id: p.ID, signer: who, message: message(who)}); d.stops() })
	}
	variant("announced by a stranger", func(d *world) { d.forged(forgery{id: p.ID, signer: "second", message: message("second")}, why) })
	variant("announced by ada, in a commit that names nobody", func(d *world) { d.forge(forgery{id: p.ID, signer: "ada"}); d.stops() })
	variant("announced by ada, in a commit that names bob", func(d *world) { d.forge(forgery{id: p.ID, signer: "ada", message: message("bob")}); d.stops() })
	variant("made on a machine without a key", func(d *world) {
		out, err := merge.Run(d.Context(), d.Workspace, p.ID, forge.Actor{Name: "kublai"}, false)
		d.ok(err)
		if out.Merged {
			d.succeeds("it merges unsigned")
			return
		}
		d.because(out.Refused, "attestations: signed")
		d.unchanged()
	})
	for _, who := range []string{"ada", "warden"} {
		variant("no attack, signed by "+who, func(d *world) {
			d.Attester = d.who[who]
			if out := d.merge(p.ID); !out.Merged {
				d.Fatal(out.Refused)
			}
			d.begin()
			d.unchanged()
			d.git("update-ref", "-d", "refs/assent/pulls/"+p.ID)
			d.stops()
		})
	}
	variant("announced again with a signature", func(d *world) {
		h := d.forge(forgery{id: p.ID, message: message("ada")})
		d.record(p.ID, journal.Event{Kind: "merging", Fields: map[string]string{"Commit": h.String()}})
		d.stops()
	})
}

// stops checks that readers who remember keep the state in force, and that newcomers stop rather
// than lose it.
func (d *world) stops() {
	d.Helper()
	d.reopen()
	cur, err := d.Session(d.Context())
	d.ok(err)
	d.same(cur)
	fresh, err := d.newReader()
	d.ok(err)
	if fresh.Halt() == nil {
		d.succeeds("newcomers lose it, and do not stop: %+v", fresh.Blocked)
	}
	d.outsider(fresh)
}
