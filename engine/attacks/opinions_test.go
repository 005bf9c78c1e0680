package attacks_test

import (
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/advice"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/proposals/propose"
)

// advised writes a second opinion on the current proposal into its journal, altered, as an
// attacker who can write refs can.
func (d *world) advised(id, verdict string, alter ...func(*advice.Record)) {
	d.Helper()
	cur, ex := d.examined(id)
	rec := advice.Record{
		V: advice.Version, Engine: "x", Workspace: cur.ID(), Proposal: id, Head: ex.Case.Pull.Head, Tree: ex.Case.Effective, Asked: "somebody",
		Answer: advice.Answer{Verdict: verdict, Reason: "so it is", Findings: []advice.Finding{}},
	}
	for _, change := range alter {
		change(&rec)
	}
	data, err := rec.Encode()
	d.ok(err)
	d.record(id, journal.Event{Kind: "advice", Files: map[string][]byte{"advice.json": data}})
}

// A second opinion can require more and never less, for every author.
func TestAttackSecondOpinion(t *testing.T) {
	const told = "needs 1 approval by a human ("
	attack(t, "a lead's approval of what somebody objects to", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		d.advised(p.ID, advice.Escalate)
		d.approved(p.ID, "mallory")
		d.holds(p.ID, told, "a second opinion (somebody) says escalate: so it is")
	})
	attack(t, "a friendlier one later", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		d.advised(p.ID, advice.Escalate)
		d.advised(p.ID, advice.Pass)
		d.approved(p.ID, "mallory")
		d.holds(p.ID, told)
	})
	attack(t, "pass, with a finding that says otherwise", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		d.advised(p.ID, advice.Pass, func(r *advice.Record) { r.Findings = append(r.Findings, advice.Finding{Message: "it steals"}) })
		d.approved(p.ID, "ada")
		d.holds(p.ID, "needs 2 approvals by humans, has 1")
	})
	attack(t, "one that praises what is dangerous", func(d *world) {
		p := d.proposed("kublai", tree.Edit{Path: "skills/bowline/SKILL.md", Remove: true})
		d.advised(p.ID, advice.Pass)
		d.approved(p.ID, "mallory", "mongke")
		d.holds(p.ID, told)
	})
	attack(t, "no answer", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		d.advised(p.ID, advice.None)
		d.approved(p.ID, "mallory")
		d.holds(p.ID, told, "could not be had")
	})
	attack(t, "an answer about something else settles nothing", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		d.advised(p.ID, advice.None)
		d.advised(p.ID, advice.Pass, func(r *advice.Record) { r.Tree = "sha256:other" })
		d.advised(p.ID, advice.Pass, func(r *advice.Record) { r.Proposal = "bowline-k3v9q2mt" })
		d.approved(p.ID, "mallory")
		d.holds(p.ID, told)
	})
	attack(t, "between judgement and merge", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		d.approved(p.ID, "mallory")
		d.Forge = &racing{d.Forge, func() { d.advised(p.ID, advice.Escalate) }}
		out := d.merge(p.ID)
		if out.Merged {
			d.succeeds("it merges although somebody objects")
		}
		d.because(out.Refused, told)
	})
	attack(t, "a block that is made up after the merge", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		d.approved(p.ID, "mallory")
		if out := d.merge(p.ID); !out.Merged {
			d.Fatalf("it does not merge: %s", out.Refused)
		}
		d.before = d.main()
		d.advised(p.ID, advice.Block)
		d.unchanged()
	})
	attack(t, "a block that is made up has ways out", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		d.advised(p.ID, advice.Block)
		_, err := propose.Update(d.Context(), d.Workspace, p.ID, d.request("kublai", skill("clove-hitch", "\nThen pull.\n")))
		d.ok(err)
		d.approved(p.ID, "mallory")
		if out := d.merge(p.ID); !out.Merged {
			d.succeeds("a made up opinion keeps a new version from merging: %s", out.Refused)
		}
		q := d.proposed("kublai", skill("sheet-bend"))
		d.advised(q.ID, advice.Block)
		d.approved(q.ID, "ada", "bob")
		if out := d.merge(q.ID); !out.Merged {
			d.succeeds("two humans cannot merge it: %s", out.Refused)
		}
		d.before = d.main()
	})
	attack(t, "a record that is none", func(d *world) {
		p := d.proposed("kublai", tree.Edit{Path: "skills/bowline/SKILL.md", Remove: true})
		d.record(p.ID, journal.Event{Kind: "advice", Files: map[string][]byte{"advice.json": []byte(`{"v":1,"verdict":"pass"}`)}})
		d.record(p.ID, journal.Event{Kind: "advice"})
		d.approved(p.ID, "mallory")
		d.holds(p.ID, told)
	})
}

// Content of unknown origin is not treated as made here.
func TestAttackWashedOrigin(t *testing.T) {
	const record = "kind: skill\nversion: 1.0.0\nstatus: active\nrequires: {hosts: [\"knots.example:443\"]}\n"
	for _, way := range []provenance.Way{provenance.Inbox, provenance.Branch, provenance.Import} {
		attack(t, "by "+string(way), func(d *world) {
			r := d.request("kublai", skill("clove-hitch", "\nAsk knots.example for a picture.\n"), file("skills/clove-hitch/capability.yaml", record))
			r.Origin = provenance.Origin{Way: way, Source: "x"}
			p := d.asked(r).Pull
			d.approved(p.ID, "mallory")
			d.holds(p.ID, "needs 1 approval by a human (", "clove-hitch can act")
		})
	}
	attack(t, "an own draft on top of it", func(d *world) {
		r := d.request("kublai", skill("clove-hitch", "\nAsk knots.example for a picture.\n"), file("skills/clove-hitch/capability.yaml", record))
		r.Origin = provenance.Origin{Way: provenance.Inbox, Source: "x"}
		p := d.asked(r).Pull
		next := d.request("kublai", skill("clove-hitch", "\nAsk knots.example for two pictures.\n"))
		next.Origin = provenance.Origin{Way: provenance.Draft}
		_, err := propose.Update(d.Context(), d.Workspace, p.ID, next)
		d.ok(err)
		d.approved(p.ID, "mallory")
		d.holds(p.ID, "needs 1 approval by a human (")
	})
}
