package attacks_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/assent-dev/assent/cmd/assent-verify/check"
	"github.com/assent-dev/assent/engine/base/version"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// alike requires that the engine and assent-verify name the newest commit of main as in force.
// Unlike outsider, it does not allow the checker to stop earlier. Ada signs the attestations after
// it.
func (d *world) alike() {
	d.Helper()
	d.reopen()
	d.Attester = d.who["ada"]
	fresh, err := d.newReader()
	d.ok(err)
	checker, err := check.Open(d.dir, false, d.accepted...)
	d.ok(err)
	defer checker.Close()
	res, err := checker.Check(d.clock)
	d.ok(err)
	if main := d.main().String(); res.InForce != main || fresh.InForce.String() != main {
		d.Errorf("main is %s, the engine has %s in force, assent-verify %s: %v", main, fresh.InForce, res.InForce, res.Blocked)
	}
}

// An unapproved merge with an unsigned announcement stops assent-verify no longer than the engine:
// until it is reverted.
func TestOutsiderTakenBack(t *testing.T) {
	for name, alter := range map[string]func(*attest.Attestation){
		"plain":        func(*attest.Attestation) {},
		"of high risk": func(a *attest.Attestation) { a.Risk = policy.High },
		"afterwards":   func(a *attest.Attestation) { a.Merged = a.At },
		"observed on a service": func(a *attest.Attestation) {
			a.Service, a.Observed = "gitea", []attest.Observed{{Login: "ada", Decision: "approve"}}
		},
		"with an approval claimed": func(a *attest.Attestation) {
			a.Verdict.Children = []policy.Verdict{{Rule: "approvals", Children: []policy.Verdict{{Rule: "approval-lead", Reason: "approved by ada"}}}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newWorld(t)
			p, main := d.proposed("kublai", skill("clove-hitch")), d.main()
			events, err := local.Shelf().Read(d.Repo, p.ID)
			d.ok(err)
			at := slices.IndexFunc(events, func(e journal.Event) bool { return e.Kind == "report" })
			if at < 0 {
				d.Fatal("no report is recorded")
			}
			c := d.commitTree(gitstore.Person{Name: "m", Email: "m@example.org", When: d.tick()}, "Merge\n\n"+attest.ProposalTrailer+": "+p.ID, d.treeOf(p.Head), main, p.Head)
			att := attest.Attestation{V: attest.Version, Proposal: p.ID, From: main, Base: main, Head: p.Head, Tree: d.treeOf(p.Head), Report: events[at].Fields["Digest"],
				Risk: policy.Low, Verdict: policy.Verdict{Outcome: policy.Allowed}, Engine: version.Engine, At: d.clock}
			alter(&att)
			data, err := att.Encode()
			d.ok(err)
			d.record(p.ID, journal.Event{Kind: "merging", Fields: map[string]string{"Commit": c.String()}, Files: map[string][]byte{"attestation.json": data}})
			d.put(attest.MainRef, c)
			d.put(attest.MainRef, d.commitTree(gitstore.Person{Name: "m", Email: "m@example.org", When: d.tick()}, "Take it back", d.treeOf(main), c))
			d.alike()
			d.merged(skill("sheet-bend"))
			d.alike()
		})
	}
}

// If the revocation removes a human's only key, neither the engine nor assent-verify waits for
// that human.
func TestOutsiderLostKeys(t *testing.T) {
	d := newWorld(t)
	d.Attester = d.who["ada"]
	d.merged(d.altered(policy.RolesFile, "human: [ada, bob]", "human: [ada, bob, mallory]"))
	d.alike()
	p := d.asked(d.request("bob", d.revocation("mallory", "", d.tick()))).Pull
	d.approved(p.ID, "ada", "bob")
	if out := d.merge(p.ID); !out.Merged {
		d.Fatal(out.Refused)
	}
	d.begin()
	d.alike()
	p = d.asked(d.request("bob", d.altered(policy.RolesFile, "lead: [ada, bob, mallory, mongke]", "lead: [ada, bob, mallory]"))).Pull
	d.approved(p.ID, "ada", "bob")
	if out := d.merge(p.ID); !out.Merged {
		d.Fatal(out.Refused)
	}
	d.begin()
	d.alike()
}

// assent-verify allows an event as many entries as the engine does, also in nested folders.
func TestOutsiderNestedEvents(t *testing.T) {
	d := newWorld(t)
	d.Attester = d.who["ada"]
	p := d.proposed("kublai", skill("clove-hitch"))
	files := map[string][]byte{}
	for i := range journal.MaxEntries / 2 {
		files[fmt.Sprintf("one/two/%d", i)] = []byte("x")
	}
	d.record(p.ID, journal.Event{Kind: "note", At: d.tick().Add(-time.Second), Files: files})
	d.approved(p.ID, "ada", "bob")
	if out := d.merge(p.ID); !out.Merged {
		d.Fatal(out.Refused)
	}
	d.begin()
	d.alike()
}

// assent-verify refuses names at the top of main that git cannot check out, as the engine does, and goes
// on once they are taken back.
func TestOutsiderNames(t *testing.T) {
	base := newWorld(t)
	for _, name := range []string{".git", ".GIT", ".gIt", "..", "."} {
		t.Run(name, func(t *testing.T) {
			d := base.clone(t)
			before := d.main()
			top := d.treeOf(before).String()
			d.put(attest.MainRef, d.commitOn(before, d.grafted(top, []string{name}, "100644", d.object("blob", []byte("x\n")))))
			d.unchanged()
			d.put(attest.MainRef, d.commitOn(d.main(), top))
			d.alike()
		})
	}
}
