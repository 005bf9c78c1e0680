package attacks_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

func reanchorDefences() map[string]defence {
	const forged = "TestAttackForgedReanchors/"
	return map[string]defence{
		"re-anchors-are-accepted-by-name": {attack: forged + "honest, accepted for nobody"},
		"re-anchors-are-named-by-key":     {attack: "TestAttackReanchor/accepted under another key"},
		"re-anchors-name-the-workspace":   {attack: forged + "of another workspace, accepted"},
		"re-anchors-change-keys-only":     {attack: forged + "with a skill beside it, accepted"},
		"re-anchors-revoke-the-old-keys":  {attack: forged + "with roles with a second new key, accepted"},
		"re-anchors-keep-revocations":     {attack: forged + "with roles that only unlist the keys of bob, accepted"},
	}
}

// A re-anchor is in force only for readers who accepted it, and changes only keys.
func TestAttackReanchor(t *testing.T) {
	attack(t, "that nobody accepted", func(d *world) {
		d.rebased(d.honestRebase())
		cur := d.unchanged()
		if halt := cur.Halt(); halt == nil || halt.Reanchor != string(d.who["second"].Fingerprint()) {
			d.Errorf("it is not named: %+v", cur.Blocked)
		}
		d.put(attest.MainRef, d.commit("More upon it", []tree.Hash{d.main()}, skill("granny-knot")))
		d.unchanged()
	})
	attack(t, "taken back, which needs no key", func(d *world) {
		before := d.main()
		h := d.rebased(d.honestRebase())
		d.put(attest.MainRef, d.commitTree(gitstore.Person{Name: "bob", When: d.tick()}, "Revert", d.treeOf(before), h))
		if cur := d.unchanged(); len(cur.Blocked) > 0 {
			d.Errorf("it still blocks: %+v", cur.Blocked)
		}
	})
	attack(t, "accepted under another key", func(d *world) {
		d.rebased(d.honestRebase())
		d.because(d.says("keys", "reanchor", "--accept", string(d.who["ada"].Fingerprint())), "and you named")
		d.unchanged()
	})
	t.Run("that forgets an earlier revocation", func(t *testing.T) {
		d := newStolen(t, "mallory", "", false)
		r := d.honestRebase()
		was := r.roles
		r.roles = regexp.MustCompile(`revoked: \[[^]]*\]`).ReplaceAllString(r.roles, "revoked: []")
		if r.roles == was {
			t.Fatal(was)
		}
		d.accepts(d.id(), d.rebased(r), "second")
		d.unchanged()
	})
	t.Run("by a key that was revoked", func(t *testing.T) {
		d := newStolen(t, "bob", "second", false)
		r := rebase{trailers: attest.ReanchorTrailer + ": " + d.id() + "\n", parents: []tree.Hash{d.main()}}
		r.roles = regexp.MustCompile(`, revoked: \[[^]]*\]`).ReplaceAllString(d.inForce("policies/roles.yaml"), "")
		r.roles = strings.Replace(r.roles, d.public("second"), d.public("bob"), 1)
		r.roles, r.signer = strings.Replace(r.roles, "human: [ada, bob]", "human: [bob]", 1), d.who["bob"]
		d.accepts(d.id(), d.rebased(r), "bob")
		d.unchanged()
	})
	t.Run("accepted, which the engine and assent-verify follow alike", func(t *testing.T) {
		d := newWorld(t)
		h := d.rebased(d.honestRebase())
		d.accepts(d.before.String(), h, "second")
		d.put(attest.MainRef, d.commit("Past the gate", []tree.Hash{h}, skill("granny-knot")))
		d.reopen()
		cur, err := d.Session(d.Context())
		d.ok(err)
		if cur.InForce != h || len(cur.Blocked) != 1 {
			t.Errorf("in force is %s, not %s: %+v", cur.InForce, h, cur.Blocked)
		}
		d.outsider(cur)
	})
}

// id returns the id of the workspace.
func (d *world) id() string {
	d.Helper()
	cur, err := d.Session(d.Context())
	d.ok(err)
	return cur.ID()
}
