package attacks_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// openings are the ways to forge an open proposal of mongke, whose key signs what mongke proposes. Each gives the commit
// that the proposal id is opened with.
func openings() map[string]func(d *world, id string) tree.Hash {
	own := func(d *world, id, message string, signer ssh.Signer, alter func([]byte) []byte) tree.Hash {
		d.Helper()
		who := gitstore.Person{Name: "mongke", Email: "mongke@example.org", When: d.tick()}
		top, err := d.Repo.WriteTree(d.treeOf(d.main()), []tree.Edit{named(int(id[len(id)-1]))})
		d.ok(err)
		h, err := d.Repo.WriteCommit(gitstore.Commit{Tree: top, Parents: []tree.Hash{d.main()}, Author: who, Committer: who, Message: message},
			func(payload []byte) (string, error) {
				if signer == nil {
					return "", nil
				}
				armored, err := review.SignCommit(alter(payload), signer)
				return string(armored), err
			})
		d.ok(err)
		d.ok(d.Repo.Sync())
		return h
	}
	as := func(data []byte) []byte { return data }
	trailer := func(id string) string { return "learn to tie a knot\n\n" + attest.ProposalTrailer + ": " + id + "\n" }
	return map[string]func(d *world, id string) tree.Hash{
		"unsigned": func(d *world, id string) tree.Hash {
			return d.commitAs("mongke <mongke@example.org>", strings.TrimSuffix(trailer(id), "\n"), []tree.Hash{d.main()}, named(int(id[len(id)-1])))
		},
		"by mallory":         func(d *world, id string) tree.Hash { return own(d, id, trailer(id), d.who["mallory"], as) },
		"by a key of nobody": func(d *world, id string) tree.Hash { return own(d, id, trailer(id), d.who["second"], as) },
		"by a witness":       func(d *world, id string) tree.Hash { return own(d, id, trailer(id), d.who["warden"], as) },
		"of other content": func(d *world, id string) tree.Hash {
			return own(d, id, trailer(id), d.who["mongke"], func(b []byte) []byte { return append(b, '.') })
		},
		"of another proposal": func(d *world, id string) tree.Hash { return own(d, id, trailer("other-00000000"), d.who["mongke"], as) },
		"of no proposal":      func(d *world, id string) tree.Hash { return own(d, id, "a commit of mongke's\n", d.who["mongke"], as) },
	}
}

// An agent whose key is listed is not held up by journals that others open in its name; one that does not sign gains nothing.
func TestAttackForgedOpenings(t *testing.T) {
	begun := func(d *world) {
		d.merged(d.altered("policies/limits.yaml", "open_proposals_per_agent: 20", "open_proposals_per_agent: 3"))
	}
	goesOn := func(d *world, honest forge.Pull) {
		d.Helper()
		d.Proposer = d.who["mongke"]
		if out := d.asked(d.request("mongke", named(1))); !out.Opened {
			d.succeeds("mongke cannot propose: %v", out.Diagnostics)
		}
		d.approved(honest.ID, "mallory")
		if out := d.merge(honest.ID); !out.Merged {
			d.succeeds("%s does not merge: %s", honest.ID, out.Refused)
		}
		d.begin()
	}
	attack(t, "journals in the name of an agent that signs", func(d *world) {
		begun(d)
		d.Proposer = d.who["mongke"]
		honest := d.proposed("mongke", named(0))
		n := 0
		for name, forged := range openings() {
			for range 15 {
				n++
				id := fmt.Sprintf("forged-%08d", n)
				head := forged(d, id)
				d.put("refs/heads/"+propose.BranchOf(id), head)
				_, err := d.Record.Open(d.Context(), forge.Opening{
					ID: id, Title: name, Branch: propose.BranchOf(id), Base: forge.Main, Head: head,
					Author: forge.Actor{Name: "mongke", Email: "mongke@example.org"}, At: honest.Opened.Add(-time.Duration(n) * time.Minute),
				})
				d.ok(err)
			}
		}
		if n < 100 {
			d.Fatalf("only %d variants", n)
		}
		goesOn(d, honest)
	})
	attack(t, "what an agent withdrew, reopened by others", func(d *world) {
		begun(d)
		d.Proposer = d.who["mongke"]
		for i := range 4 {
			p := d.proposed("mongke", named(2+i))
			cur, _ := d.examined(p.ID)
			_, err := propose.Withdraw(d.Context(), cur, p, forge.Actor{Name: "mongke"}, "later")
			d.ok(err)
			d.put("refs/heads/"+p.Branch, p.Head)
			d.record(p.ID, journal.Event{Kind: "reopened", By: "mongke", Fields: map[string]string{"State": "open"}})
		}
		goesOn(d, d.proposed("mongke", named(0)))
	})
	attack(t, "more without a signature", func(d *world) {
		begun(d)
		var last forge.Pull
		for i := range 3 {
			last = d.proposed("mongke", named(2+i))
		}
		d.found(d.asked(d.request("mongke", named(6))).Diagnostics, propose.RuleOpen)
		d.Proposer = d.who["mongke"]
		d.proposed("mongke", named(6))
		d.Proposer = nil
		id := "unsigned-00000001"
		head := openings()["unsigned"](d, id)
		d.put("refs/heads/"+propose.BranchOf(id), head)
		_, err := d.Record.Open(d.Context(), forge.Opening{
			ID: id, Title: "one more", Branch: propose.BranchOf(id), Base: forge.Main, Head: head,
			Author: forge.Actor{Name: "mongke", Email: "mongke@example.org"}, At: last.Opened.Add(time.Hour),
		})
		d.ok(err)
		if cur, ex := d.examined(id); ex.Case.OpenByAgent <= cur.Policies.Limits.OpenPerAgent {
			d.succeeds("an unsigned proposal beside four others counts as number %d", ex.Case.OpenByAgent)
		}
	})
}
