package attacks_test

import (
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

func reanchorDefences() map[string]defence {
	const re = "TestAttackReanchor/"
	return map[string]defence{
		"re-anchors-are-accepted-by-name": {attack: re + "that nobody accepted"},
		"re-anchors-are-named-by-key":     {attack: re + "accepted under another key"},
		"re-anchors-name-the-workspace":   {attack: re + "accepted, of another workspace"},
		"re-anchors-change-keys-only":     {attack: re + "accepted, with a skill beside it"},
		"re-anchors-revoke-the-old-keys":  {attack: re + "accepted, with an old key kept"},
	}
}

// reanchor writes a re-anchor as the attacker whose key is "second", altered, and moves
// main to it.
func (d *world) reanchor(trailer string, roles []byte, edits ...tree.Edit) tree.Hash {
	d.Helper()
	d.reopen()
	cur, err := d.Session(d.Context())
	d.ok(err)
	last, err := workspace.FindLastRoles(cur)
	d.ok(err)
	text, err := last.Reanchored("ada", d.who["second"].PublicKey(), "all is lost", d.tick())
	d.ok(err)
	if roles != nil {
		text = roles
	}
	top, err := d.Repo.WriteTree(d.treeOf(d.main()), append([]tree.Edit{{Path: "policies/roles.yaml", Content: text}}, edits...))
	d.ok(err)
	who := gitstore.Person{Name: "ada", Email: "ada@example.org", When: d.tick()}
	if trailer == "" {
		trailer = cur.ID()
	}
	c := gitstore.Commit{Tree: top, Parents: []tree.Hash{d.main()}, Author: who, Committer: who,
		Message: "Re-anchor\n\n" + attest.ReasonTrailer + ": all is lost\n" + attest.ReanchorTrailer + ": " + trailer + "\n"}
	h, err := d.Repo.WriteCommit(c, func(payload []byte) (string, error) {
		armored, err := review.SignCommit(payload, d.who["second"])
		return string(armored), err
	})
	d.ok(err)
	d.ok(d.Repo.Sync())
	d.put(attest.MainRef, h)
	return h
}

// A re-anchor is in force for nobody who did not accept it, and does nothing but change keys.
func TestAttackReanchor(t *testing.T) {
	accepted := func(d *world, h tree.Hash) {
		d.Helper()
		cur, err := d.Session(d.Context())
		d.ok(err)
		d.ok(keys.Accept(cur.ID(), h))
		d.accepted = append(d.accepted, string(d.who["second"].Fingerprint()))
	}
	attack(t, "that nobody accepted", func(d *world) {
		d.reanchor("", nil)
		cur := d.unchanged()
		if halt := cur.Halt(); halt == nil || halt.Reanchor != string(d.who["second"].Fingerprint()) {
			d.Errorf("it is not named: %+v", cur.Blocked)
		}
		d.put(attest.MainRef, d.commit("More upon it", []tree.Hash{d.main()}, skill("granny-knot")))
		d.unchanged()
	})
	attack(t, "taken back, which needs no key", func(d *world) {
		before := d.main()
		h := d.reanchor("", nil)
		d.put(attest.MainRef, d.commitTree(gitstore.Person{Name: "bob", When: d.tick()}, "Revert", d.treeOf(before), h))
		if cur := d.unchanged(); len(cur.Blocked) > 0 {
			d.Errorf("it still blocks: %+v", cur.Blocked)
		}
	})
	attack(t, "accepted under another key", func(d *world) {
		d.reanchor("", nil)
		d.because(d.says("keys", "reanchor", "--accept", string(d.who["ada"].Fingerprint())), "and you named")
		d.unchanged()
	})
	attack(t, "accepted, of another workspace", func(d *world) {
		accepted(d, d.reanchor(strings.Repeat("a", 40), nil))
		d.unchanged()
	})
	attack(t, "accepted, with a skill beside it", func(d *world) {
		accepted(d, d.reanchor("", nil, skill("granny-knot")))
		d.unchanged()
	})
	attack(t, "accepted, with an old key kept", func(d *world) {
		text, err := policy.EditRoles([]byte(d.inForce(policy.RolesFile)), policy.RolesChange{Name: "ada", Keys: []string{d.public("second")}})
		d.ok(err)
		accepted(d, d.reanchor("", text))
		d.unchanged()
	})
	t.Run("accepted, which the engine and assent-verify follow alike", func(t *testing.T) {
		d := newWorld(t)
		h := d.reanchor("", nil)
		accepted(d, h)
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
