package attacks_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// rebase is a re-anchor by the key "second" as the program would make it, with an attacker's
// alterations.
type rebase struct {
	trailers string
	roles    string
	edits    []tree.Edit
	parents  []tree.Hash
	signer   ssh.Signer
	// alter changes the commit after it was signed.
	alter func(*gitstore.Commit)
}

func (d *world) honestRebase() rebase {
	d.Helper()
	cur, err := d.Session(d.Context())
	d.ok(err)
	last, err := workspace.FindLastRoles(cur)
	d.ok(err)
	text, err := last.Reanchored("ada", d.who["second"].PublicKey(), "all is lost", d.tick())
	d.ok(err)
	return rebase{
		trailers: attest.ReasonTrailer + ": all is lost\n" + attest.ReanchorTrailer + ": " + cur.ID() + "\n",
		roles:    string(text), parents: []tree.Hash{d.main()}, signer: d.who["second"],
	}
}

// rebased writes a re-anchor and moves main to it.
func (d *world) rebased(r rebase) tree.Hash {
	d.Helper()
	edits := append([]tree.Edit{file("policies/roles.yaml", r.roles)}, r.edits...)
	top, err := d.Repo.WriteTree(d.treeOf(d.main()), edits)
	d.ok(err)
	who := gitstore.Person{Name: "ada", Email: "ada@example.org", When: d.tick()}
	c := gitstore.Commit{Tree: top, Parents: r.parents, Author: who, Committer: who, Message: "Re-anchor\n\n" + r.trailers}
	signed := c
	if r.alter != nil {
		r.alter(&c)
	}
	sign := func(payload []byte) (string, error) {
		if r.alter != nil {
			payload = signed.Payload()
		}
		armored, err := review.SignCommit(payload, r.signer)
		return string(armored), err
	}
	if r.signer == nil {
		sign = nil
	}
	h, err := d.Repo.WriteCommit(c, sign)
	d.ok(err)
	d.ok(d.Repo.Sync())
	d.put(attest.MainRef, h)
	return h
}

// forgedRebases alter a re-anchor so that it must not count, even if its key was accepted.
func forgedRebases() map[string]func(*world, *rebase) {
	all := map[string]func(*world, *rebase){
		"unsigned":        func(_ *world, r *rebase) { r.signer = nil },
		"signed by ada":   func(d *world, r *rebase) { r.signer = d.who["ada"] },
		"signed by bob":   func(d *world, r *rebase) { r.signer = d.who["bob"] },
		"signed by agent": func(d *world, r *rebase) { r.signer = d.who["mongke"] },
		"signed by a stranger": func(d *world, r *rebase) {
			_, private, err := ed25519.GenerateKey(rand.Reader)
			d.ok(err)
			r.signer, err = ssh.NewSignerFromKey(private)
			d.ok(err)
		},
		"of another workspace":        func(_ *world, r *rebase) { r.trailers = attest.ReanchorTrailer + ": " + strings.Repeat("a", 40) + "\n" },
		"of no workspace":             func(_ *world, r *rebase) { r.trailers = attest.ReasonTrailer + ": all is lost\n" },
		"of an abbreviated workspace": func(_ *world, r *rebase) { r.trailers = r.trailers[:len(r.trailers)-8] + "\n" },
		"upon main and more": func(d *world, r *rebase) {
			r.parents = append(r.parents, d.commit("More", r.parents, skill("sheet-bend")))
		},
		"upon a commit past the gate": func(d *world, r *rebase) { r.parents = []tree.Hash{d.straight("Sneak in", skill("sheet-bend"))} },
		"altered after signing, its message": func(_ *world, r *rebase) {
			r.alter = func(c *gitstore.Commit) { c.Message += "More: x\n" }
		},
		"altered after signing, its author": func(_ *world, r *rebase) {
			r.alter = func(c *gitstore.Commit) { c.Author.Name = "bob" }
		},
	}
	for name, edit := range map[string]tree.Edit{
		"a skill": skill("granny-knot"), "an altered skill": skill("bowline", "\nThen pull.\n"), "a skill less": {Path: "skills/bowline/SKILL.md", Remove: true},
		"a policy": file("policies/limits.yaml", "open_proposals_per_agent: 99\n"), "a policy less": {Path: "policies/security.yaml", Remove: true},
		"a workflow": file("workflows/x.yaml", "name: x\n"), "a soul": file("soul/kublai/SOUL.md", strings.Replace(soulFile, "Never", "Always", 1)),
		"a proposal": file("proposals/2026/x.md", "x\n"), "a scenario": file("policies/scenarios/x.yaml", "x: 1\n"), "a program": file("skills/bowline/run.sh", "#!/bin/sh\n"),
	} {
		all["with "+name+" beside it"] = func(_ *world, r *rebase) { r.edits = []tree.Edit{edit} }
	}
	for name, roles := range map[string]func(d *world, text string) string{
		"as they were":      func(d *world, _ string) string { return d.inForce("policies/roles.yaml") + "# x\n" },
		"that do not parse": func(_ *world, text string) string { return text + "people: [\n" },
		"of nobody":         func(*world, string) string { return "people: {}\n" },
		"without the key": func(d *world, text string) string {
			return strings.Replace(text, d.plainKey("second"), another, 1)
		},
		"with the key of an agent that is human": func(_ *world, text string) string {
			return strings.Replace(text, "human: [ada, bob]", "human: [ada, bob, mongke]", 1)
		},
		"with a person more who is human": func(_ *world, text string) string {
			return strings.Replace(text, "human: [ada, bob]", "human: [ada, bob, mallory]", 1)
		},
		"in which the key is no human's": func(_ *world, text string) string {
			return strings.Replace(text, "human: [ada, bob]", "human: [bob]", 1)
		},
		"with a second new key": func(d *world, text string) string {
			return strings.Replace(text, d.plainKey("second"), d.plainKey("second")+"\n      - "+another, 1)
		},
		"with a new key of bob": func(_ *world, text string) string {
			return strings.Replace(text, "  bob:\n", "  bob:\n    keys:\n      - "+another+"\n", 1)
		},
		"that only unlist the keys of bob": func(d *world, text string) string { return strings.Replace(text, d.revokedIn(text, "bob"), "", 1) },
		"that only unlist the keys of ada": func(d *world, text string) string { return strings.Replace(text, d.revokedIn(text, "ada"), "", 1) },
		"that unlist the keys of bob, who is no human then": func(d *world, text string) string {
			return strings.Replace(strings.Replace(text, d.revokedIn(text, "bob"), "", 1), "human: [ada, bob]", "human: [ada]", 1)
		},
		"that leave bob his keys, who is no human then": func(d *world, text string) string {
			return strings.Replace(strings.Replace(text, d.revokedIn(text, "bob"), "    keys:\n      - "+d.plainKey("bob")+"\n", 1), "human: [ada, bob]", "human: [ada]", 1)
		},
		"that revoke the keys of bob as mallory's": func(d *world, text string) string {
			gone := d.revokedIn(text, "bob")
			of := regexp.MustCompile(`key: (\S+)\n *from: (\S+)\n`).FindStringSubmatch(gone)
			text = strings.Replace(text, gone, "", 1)
			return strings.Replace(text, "mallory: {", "mallory: {revoked: [{key: \""+of[1]+"\", from: "+of[2]+", reason: all is lost}], ", 1)
		},
		"with a new human": func(_ *world, text string) string {
			return strings.Replace(strings.Replace(text, "people:\n", "people:\n  eve: {keys: [\""+another+"\"]}\n", 1), "human: [ada", "human: [eve, ada", 1)
		},
	} {
		all["with roles "+name] = func(d *world, r *rebase) { r.roles = roles(d, r.roles) }
	}
	return all
}

// revokedIn returns the part of an honest re-anchor's roles that revokes the key of a person.
func (d *world) revokedIn(roles, name string) string {
	d.Helper()
	part := regexp.MustCompile(` {4}revoked:\n {6}- key: ` + regexp.QuoteMeta(string(d.who[name].Fingerprint())) + `\n.*\n.*\n`).FindString(roles)
	if part == "" {
		d.Fatalf("no key of %s is revoked: %s", name, roles)
	}
	return part
}

// another is a key of the attacker.
const another = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJbO+Qf0mM1c7jRY0YJrGRpZQxMRRoBgXNZ0XR0a9yX1"

// plainKey returns a public key without its comment.
func (d *world) plainKey(name string) string {
	d.Helper()
	return strings.Join(strings.Fields(d.public(name))[:2], " ")
}

// acceptances are keys that a user may have accepted before.
func acceptances() map[string]func(d *world, genesis string, h tree.Hash) {
	return map[string]func(d *world, genesis string, h tree.Hash){
		"accepted by nobody": func(*world, string, tree.Hash) {},
		"accepted":           func(d *world, genesis string, h tree.Hash) { d.accepts(genesis, h, "second") },
		"accepted, and gone on upon": func(d *world, genesis string, h tree.Hash) {
			d.accepts(genesis, h, "second")
			d.put(attest.MainRef, d.commit("More upon it", []tree.Hash{h}, skill("granny-knot")))
		},
	}
}

func (d *world) accepts(genesis string, h tree.Hash, who string) {
	d.Helper()
	d.ok(keys.Accept(genesis, h))
	d.accepted = append(d.accepted, string(d.who[who].Fingerprint()))
}

// An inexact re-anchor is a commit past the gate, even for users who accepted it. An exact one is
// in force for those users only.
func TestAttackForgedReanchors(t *testing.T) {
	base, n := newWorld(t), 0
	for forgery, forge := range forgedRebases() {
		for user, accept := range acceptances() {
			n++
			t.Run(forgery+", "+user, func(t *testing.T) {
				d := base.clone(t)
				cur, err := d.Session(d.Context())
				d.ok(err)
				r, was := d.honestRebase(), d.inForce("policies/roles.yaml")
				honest := r.roles
				forge(d, &r)
				if strings.HasPrefix(forgery, "with roles") && (r.roles == honest || r.roles == was) {
					t.Fatalf("nothing is altered: %s", r.roles)
				}
				accept(d, cur.ID(), d.rebased(r))
				d.unchanged()
			})
		}
	}
	for name, accept := range map[string]func(d *world, genesis string, h tree.Hash){
		"nobody":            func(*world, string, tree.Hash) {},
		"another commit":    func(d *world, genesis string, h tree.Hash) { d.ok(keys.Accept(genesis, tree.Hash{1})) },
		"its parent":        func(d *world, genesis string, _ tree.Hash) { d.ok(keys.Accept(genesis, d.before)) },
		"another workspace": func(d *world, _ string, h tree.Hash) { d.ok(keys.Accept(strings.Repeat("a", 40), h)) },
	} {
		for _, upon := range []string{"", ", with a commit upon it", ", with another one upon it"} {
			n++
			t.Run("honest, accepted for "+name+upon, func(t *testing.T) {
				d := base.clone(t)
				cur, err := d.Session(d.Context())
				d.ok(err)
				r := d.honestRebase()
				h := d.rebased(r)
				accept(d, cur.ID(), h)
				switch upon {
				case ", with a commit upon it":
					d.put(attest.MainRef, d.commit("More upon it", []tree.Hash{h}, skill("granny-knot")))
				case ", with another one upon it":
					r.parents = []tree.Hash{h}
					d.rebased(r)
				}
				d.unchanged()
			})
		}
	}
	if n < 100 {
		t.Errorf("%d variants", n)
	}
}
