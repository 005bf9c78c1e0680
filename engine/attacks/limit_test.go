package attacks_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace/attest"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// openings are the ways to forge an open proposal by mongke, whose key signs mongke's proposals.
// Each returns the commit that opens the proposal id.
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

// Journals that others open in an agent's name do not count against an agent whose key is listed.
// An agent that does not sign gains nothing.
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
				d.openedAs("mongke", "mongke@example.org", id, name, honest.Opened.Add(-time.Duration(n)*time.Minute), true, forged)
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
		d.found(d.asked(d.request("mongke", named(6))).Diagnostics, propose.RuleOpen)
		d.Proposer = nil
		id := "unsigned-00000001"
		d.openedAs("mongke", "mongke@example.org", id, "one more", last.Opened.Add(-time.Hour), true, openings()["unsigned"])
		if cur, ex := d.examined(id); ex.Case.OpenByAgent <= cur.Policies.Limits.OpenPerAgent {
			d.succeeds("an unsigned proposal beside three others counts as number %d", ex.Case.OpenByAgent)
		}
	})
	attack(t, "journals in the name of an agent without a key", func(d *world) {
		begun(d)
		honest := d.proposed("kublai", named(0))
		n := 0
		for _, email := range []string{"", "kublai@agents.example", "kublai@example.org"} {
			for _, at := range []time.Duration{-time.Hour, -time.Second, time.Second} {
				for name, forged := range openings() {
					for _, branch := range []bool{true, false} {
						n++
						d.openedAs("kublai", email, fmt.Sprintf("forged-%08d", n), name, honest.Opened.Add(at), branch, forged)
					}
				}
			}
		}
		if n < 100 {
			d.Fatalf("only %d variants", n)
		}
		if out := d.asked(d.request("kublai", named(1))); !out.Opened {
			d.succeeds("kublai cannot propose: %v", out.Diagnostics)
		}
		d.approved(honest.ID, "mallory")
		if out := d.merge(honest.ID); !out.Merged {
			d.succeeds("%s does not merge: %s", honest.ID, out.Refused)
		}
		d.begin()
	})
	attack(t, "more by journals of its own, opened first", func(d *world) {
		begun(d)
		at := d.tick().Add(-time.Hour)
		for i := range 3 {
			d.openedAs("kublai", "", fmt.Sprintf("unproven-0000000%d", i), "of its own", at, true, openings()["unsigned"])
		}
		for i := range 3 {
			d.proposed("kublai", named(20+i))
		}
		if cur, ex := d.examined("unproven-00000000"); ex.Case.OpenByAgent <= cur.Policies.Limits.OpenPerAgent {
			d.succeeds("beside five others, three of them proven, it counts as number %d", ex.Case.OpenByAgent)
		}
	})
	attack(t, "a flood of branches in the inbox", func(d *world) {
		begun(d)
		d.proposed("kublai", named(0))
		for i := range 4 {
			d.put(fmt.Sprintf("refs/heads/inbox/kublai/more%d", i), d.commit("More", []tree.Hash{d.main()}, named(2+i)))
		}
		out := d.says("reconcile")
		open, err := d.Record.List(d.Context(), forge.Filter{State: forge.Open})
		d.ok(err)
		if len(open) > 3 {
			d.succeeds("%d proposals are open: %s", len(open), out)
		}
	})
	attack(t, "runs in the name of an agent without a key", func(d *world) {
		begun(d)
		cur, err := d.Session(d.Context())
		d.ok(err)
		flow := workflow.Workflow{Name: "braid"}
		_, _, err = task.Start(d.Context(), cur, task.Beginning{Workflow: flow, Event: "command", By: "kublai", For: "kublai"})
		d.ok(err)
		for n := range 100 {
			_, _, err := d.Runs.Begin(d.Context(), fmt.Sprintf("forged-%08d", n), "kublai", d.tick(), run.Start{Workflow: "braid", Event: "command", For: "kublai"})
			d.ok(err)
		}
		if _, _, err := task.Start(d.Context(), cur, task.Beginning{Workflow: flow, Event: "command", By: "kublai", For: "kublai"}); err != nil {
			d.succeeds("kublai cannot ask: %v", err)
		}
		d.begin()
	})
}

// openedAs opens a proposal in an agent's name without the agent.
func (d *world) openedAs(agent, email, id, title string, at time.Time, branch bool, commit func(*world, string) tree.Hash) {
	d.Helper()
	head := commit(d, id)
	d.put("refs/heads/"+propose.BranchOf(id), head)
	_, err := d.Record.Open(d.Context(), forge.Opening{
		ID: id, Title: title, Branch: propose.BranchOf(id), Base: forge.Main, Head: head, Author: forge.Actor{Name: agent, Email: email}, At: at,
	})
	d.ok(err)
	if !branch {
		d.git("update-ref", "-d", "refs/heads/"+propose.BranchOf(id))
	}
}
