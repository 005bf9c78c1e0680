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
	return map[string]defence{
		"revoked-keys-prove-nothing": {
			attack:  "TestAttackRevokedKey/an approval dated back",
			instead: "r.out.keys[rev.Key] = name",
		},
		"revoked-keys-still-exclude":     {attack: "TestAttackRevokedKey/an author by the old key approves with the new one"},
		"statements-are-by-other-humans": {attack: "TestAttackRevokedKey/approved again: the key approves itself"},
		"statements-name-merge-and-key":  {attack: "TestAttackRevokedKey/approved again: a statement about a sibling"},
		"approvals-again-are-judged":     {attack: "TestAttackRevokedKey/approved again by too few"},
		"what-a-key-carried-is-judged-without-it": {
			attack: "TestAttackRevokedKey/the record of what a revoked key carried",
		},
		"nobody-revokes-alone": {attack: "TestAttackRevokedKey/one of two humans revokes the other's key"},
	}
}

// revoked brings a revocation of a key into force, and lists another one instead.
func (d *world) revoked(who, replace string, from time.Time) {
	d.Helper()
	d.merged(d.revocation(who, replace, from))
}

func (d *world) public(name string) string {
	return strings.TrimSpace(string(d.read(d.key(name) + ".pub")))
}

// revocation is the change of roles.yaml that revokes a key.
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

// stands files a signed statement about a merge, as anybody can who writes to a journal.
func (d *world) stands(id, who string, alter func(*review.Again)) {
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
	d.ok(d.Record.Comment(d.Context(), id, forge.Comment{By: forge.Actor{Name: who}, Body: text, At: said.At}))
}

// A stolen key that was revoked opens no door, whatever date the thief writes.
func TestAttackRevokedKey(t *testing.T) {
	for name, back := range map[string]time.Duration{
		"an approval dated back": 100 * time.Minute, "an approval dated now": 0, "an approval of the last second before": 90*time.Minute + time.Second,
	} {
		attack(t, name, func(d *world) {
			p := d.proposed("kublai", skill("bowline", "\nThen pull.\n"))
			d.revoked("mallory", "second", d.tick().Add(-90*time.Minute))
			rec := d.approval(p.ID)
			rec.At = rec.At.Add(-back)
			d.filed(p.ID, rec, d.signed("mallory", rec))
			d.holds(p.ID, "needs 1 approval by a lead (")
		})
	}
	attack(t, "an approval before the revocation of what is still open", func(d *world) {
		p := d.proposed("kublai", skill("bowline", "\nThen pull.\n"))
		d.approved(p.ID, "mallory")
		d.revoked("mallory", "", d.tick())
		d.holds(p.ID, "is revoked from")
	})
	attack(t, "an author by the old key approves with the new one", func(d *world) {
		d.revoked("mallory", "second", d.tick())
		p := d.proposed("kublai", skill("bowline", "\nThen pull.\n"))
		next := d.commitAs("kublai <kublai@agents.example>", "More", []tree.Hash{p.Head}, skill("bowline", "\nThen push.\n"))
		_, err := d.Forge.Push(d.Context(), p.ID, forge.Push{By: forge.Actor{Key: string(d.who["mallory"].Fingerprint())}, Old: p.Head, New: next, At: d.tick()})
		d.ok(err)
		d.approved(p.ID, "second")
		d.holds(p.ID, "whoever pushed to it cannot approve it")
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
	for name, tc := range map[string]struct {
		who   string
		alter func(said *review.Again)
	}{
		"no attack":                   {"bob", func(*review.Again) {}},
		"the key approves itself":     {"ada", func(*review.Again) {}},
		"the key excepts itself":      {"ada", func(s *review.Again) { s.Decision = review.Except }},
		"an agent excepts":            {"mongke", func(s *review.Again) { s.Decision = review.Except }},
		"a stranger excepts":          {"second", func(s *review.Again) { s.Decision = review.Except }},
		"a statement about a sibling": {"bob", func(s *review.Again) { s.Commit, s.Decision = tree.Hash{1}, review.Except }},
		"a statement of elsewhere":    {"bob", func(s *review.Again) { s.Workspace, s.Decision = "elsewhere", review.Except }},
		"a statement about a key":     {"bob", func(s *review.Again) { s.Key, s.Decision = "SHA256:x", review.Except }},
	} {
		attack(t, "approved again: "+name, func(d *world) {
			q := d.proposed("kublai", skill("reef-knot", "\nThen pull.\n"))
			d.approved(q.ID, "ada")
			d.merge(q.ID)
			d.begin()
			d.stands(q.ID, tc.who, tc.alter)
			all, err := audit.ReliedOn(d.Context(), d.Workspace, d.who["ada"].Fingerprint(), nil)
			d.ok(err)
			switch open := len(all) == 1 && all[0].Open(); {
			case name == "no attack" && open:
				d.Errorf("bob's approval does not count: %+v", all)
			case name != "no attack" && !open:
				d.succeeds("nobody looks at the merge again: %+v", all)
			}
			d.unchanged()
		})
	}
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
