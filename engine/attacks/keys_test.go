package attacks_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
)

func keyDefences() map[string]defence {
	const stolen = "TestAttackStolenKey/"
	return map[string]defence{
		"revoked-keys-prove-nothing": {
			attack:  stolen + "the key of mallory, replaced: an approval of now",
			instead: "r.out.keys[rev.Key] = name",
		},
		"revocations-stay":               {attack: stolen + "the key of bob, replaced: listed again for another human, its revocation removed"},
		"revoked-keys-still-exclude":     {attack: "TestAttackRevokedKey/an author by the old key approves with the new one"},
		"statements-are-by-other-humans": {attack: stolen + "approved again, approve: by ada"},
		"statements-name-merge-and-key":  {attack: stolen + "approved again, except: about another commit"},
		"approvals-again-are-judged":     {attack: "TestAttackRevokedKey/approved again by too few"},
		"what-a-key-carried-is-judged-without-it": {
			attack: "TestAttackRevokedKey/the record of what a revoked key carried",
		},
		"nobody-revokes-alone": {attack: "TestAttackRevokedKey/one of two humans revokes the other's key"},
	}
}

// revoked brings the revocation of a key into force, and lists another key instead.
func (d *world) revoked(who, replace string, from time.Time) {
	d.Helper()
	d.merged(d.revocation(who, replace, from))
}

func (d *world) public(name string) string {
	return strings.TrimSpace(string(d.read(d.key(name) + ".pub")))
}

// revocation returns the change of roles.yaml that revokes a key.
func (d *world) revocation(who, replace string, from time.Time) tree.Edit {
	d.Helper()
	keys := ""
	if replace != "" {
		keys = `"` + d.public(replace) + `"`
	}
	was := who + `: {keys: ["` + d.public(who) + `"]`
	is := who + ": {keys: [" + keys + `], revoked: [{key: "` + string(d.who[who].Fingerprint()) + `", from: "` +
		from.UTC().Format(time.RFC3339) + `", reason: stolen}]`
	return d.altered("policies/roles.yaml", was, is)
}

// stands files a signed statement about a merge, as any writer of a journal can.
func (d *world) stands(id, who string, alter func(*review.Again)) {
	d.Helper()
	d.comment(id, who, d.statement(id, who, alter))
}

// standsAltered files bob's statement about one merge under his signature of another statement.
func (d *world) standsAltered(id string, signed, shown func(*review.Again)) {
	d.Helper()
	_, signature, _ := strings.Cut(d.statement(id, "bob", signed), "-----BEGIN")
	text, _, _ := strings.Cut(d.statement(id, "bob", shown), "-----BEGIN")
	d.comment(id, "bob", text+"-----BEGIN"+signature)
}

func (d *world) statement(id, who string, alter func(*review.Again)) string {
	d.Helper()
	cur, err := d.Session(d.Context())
	d.ok(err)
	p, err := d.Record.Get(d.Context(), id)
	d.ok(err)
	said := review.Again{
		V: review.Version, Workspace: cur.ID(), Proposal: id, Commit: p.Merge, Key: d.who["ada"].Fingerprint(),
		Decision: review.Approve, Reason: "it is right", At: d.tick().UTC().Truncate(time.Second), Nonce: "0123456789abcdef",
	}
	alter(&said)
	text, err := review.SignAgain(said, who+" says", d.who[who])
	d.ok(err)
	return text
}

func (d *world) comment(id, who, text string) {
	d.Helper()
	d.ok(d.Record.Comment(d.Context(), id, forge.Comment{By: forge.Actor{Name: who}, Body: text, At: d.tick()}))
}

// A revoked key helps neither its owner nor others; TestAttackStolenKey covers the thief.
func TestAttackRevokedKey(t *testing.T) {
	attack(t, "an author by the old key approves with the new one", func(d *world) {
		d.revoked("mallory", "second", d.tick())
		p := d.proposed("kublai", skill("bowline", "\nThen pull.\n"))
		next := d.commitAs("kublai <kublai@agents.example>", "More", []tree.Hash{p.Head}, skill("bowline", "\nThen push.\n"))
		_, err := d.Forge.Push(d.Context(), p.ID, forge.Push{By: forge.Actor{Key: string(d.who["mallory"].Fingerprint())}, Old: p.Head, New: next, At: d.tick()})
		d.ok(err)
		d.approved(p.ID, "second")
		d.holds(p.ID, "pushed to it and cannot approve it")
	})
	attack(t, "one of two humans revokes the other's key", func(d *world) {
		d.merged(d.altered("policies/roles.yaml", ", logins: {gitea: bob}", ""))
		p := d.proposed("kublai", d.revocation("bob", "", d.tick()))
		d.approved(p.ID, "ada")
		d.holds(p.ID, "needs 2 approvals by humans, has 1")
	})
	attack(t, "the record of what a revoked key carried", func(d *world) {
		p := d.merged(skill("bowline", "\nThen pull.\n"))
		all, err := audit.ReliedOn(d.Context(), d.Workspace, d.who["ada"].Fingerprint(), nil)
		d.ok(err)
		if len(all) != 1 || all[0].Proposal != p.ID || !all[0].Approved || all[0].Needed || len(all[0].Files) == 0 {
			d.Fatalf("bob approved it as well: %+v", all)
		}
		q := d.proposed("kublai", skill("reef-knot", "\nThen pull.\n"))
		d.approved(q.ID, "ada")
		d.merge(q.ID)
		d.begin()
		all, err = audit.ReliedOn(d.Context(), d.Workspace, d.who["ada"].Fingerprint(), nil)
		d.ok(err)
		if len(all) != 2 || !all[1].Needed {
			d.succeeds("it is not told that nobody else approved: %+v", all)
		}
	})
	attack(t, "approved again by too few", func(d *world) {
		p := d.merged(d.altered("policies/approvals.yaml", "  low: []", "  low: [{role: human, count: 1}]"))
		d.begin()
		d.stands(p.ID, "bob", func(*review.Again) {})
		all, err := audit.ReliedOn(d.Context(), d.Workspace, d.who["ada"].Fingerprint(), nil)
		d.ok(err)
		if len(all) != 1 || !all[0].Open() {
			d.succeeds("one human stands for two: %+v", all)
		}
	})
	attack(t, "an attestation signed by a witness whose key is revoked", func(d *world) {
		d.revoked("warden", "", d.tick())
		cur, err := d.Session(d.Context())
		d.ok(err)
		d.Attester = d.who["warden"]
		if cur.CanWitness() {
			d.succeeds("a revoked witness vouches for accounts")
		}
	})
	attack(t, "taking back with a revoked key still takes back", func(d *world) {
		p := d.proposed("kublai", skill("bowline", "\nThen pull.\n"))
		d.approved(p.ID, "mallory")
		d.decided(p.ID, review.Revoke, "mallory")
		d.revoked("mallory", "second", d.tick())
		d.holds(p.ID, "needs 1 approval by a lead (")
	})
}
