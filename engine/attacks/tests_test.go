package attacks_test

import (
	"context"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/proof"
	"github.com/assent-dev/assent/engine/format/suite"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/tools/prove"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// double returns a composed tool, which needs no sandbox, and its test. times is its factor.
func double(times string) []tree.Edit {
	return []tree.Edit{
		file("skills/double/SKILL.md", "---\nname: double\ndescription: Doubles a number of knots. Use it when somebody counts pairs.\n---\n\n# Double\n\nCall it by name.\n"),
		file("skills/double/capability.yaml", "kind: tool\nversion: 1.0.0\nstatus: active\nlayer: composed\nrun: {runtime: starlark, entry: scripts/main.star}\ninput: {type: object}\n"),
		file("skills/double/tests.yaml", "cases:\n  - name: a pair\n    input: {knots: 2}\n    expect: {equals: 4}\n"),
		file("skills/double/scripts/main.star", "def main(input):\n    return input.get(\"knots\", 0) * "+times+"\n"),
	}
}

// fourfold returns a composed tool that calls double, and its tests.
func fourfold() []tree.Edit {
	return []tree.Edit{
		file("skills/fourfold/SKILL.md", "---\nname: fourfold\ndescription: Makes four ropes of each one. Use it before a harbour is rigged.\n---\n\n# Fourfold\n\nCall it by name.\n"),
		file("skills/fourfold/capability.yaml", "kind: tool\nversion: 1.0.0\nstatus: active\nlayer: composed\nrun: {runtime: starlark, entry: scripts/main.star}\ninput: {type: object}\n"),
		file("skills/fourfold/tests.yaml", "cases:\n  - name: of three\n    input: {ropes: 3}\n    expect: {equals: 12}\n"),
		file("skills/fourfold/scripts/main.star", "def main(input):\n    return tools.double(knots = tools.double(knots = input.get(\"ropes\", 0)))\n"),
	}
}

// runs lets this engine run tests and sign. no is the error of a machine that cannot isolate, if
// any.
func (d *world) runs(no error) {
	d.Helper()
	m := prove.Machine{Kept: prove.Kept{Dir: d.TempDir()}, Now: d.tick, Workers: 1, Runner: func(context.Context) (sandbox.Runner, error) { return nil, no }}
	d.Attester, d.Prove = d.who["ada"], m.Prove
}

// waits checks that the engine does not merge, and the reason.
func (d *world) waits(id string, why ...string) {
	d.Helper()
	out := d.merge(id)
	if out.Merged {
		d.succeeds("%s merges", id)
		return
	}
	d.because(out.Refused, why...)
	d.unchanged()
}

// praise returns the best possible outcome for the current content.
func (d *world) praise(id string) []proof.Trial {
	d.Helper()
	_, ex := d.examined(id)
	var out []proof.Trial
	for _, s := range ex.Case.Subjects {
		r := suite.Report{Subject: suite.Subject{Name: s.Name}, State: suite.Passed, Mastery: 1, Passed: 9}
		out = append(out, proof.TrialOf(s.Path, s.Digest, 20, r, "sha256:00", nil))
	}
	return out
}

// claimed writes a record of tests into a proposal's journal, altered, as an attacker who can
// write refs can.
func (d *world) claimed(id string, alter ...func(*proof.Record)) {
	d.Helper()
	cur, ex := d.examined(id)
	rec := proof.Record{
		V: proof.Version, Engine: "x", Workspace: cur.ID(), Proposal: id, Head: ex.Case.Pull.Head, Effective: ex.Case.Effective, Result: ex.Result.Tree,
		Trials: d.praise(id),
	}
	for _, change := range alter {
		change(&rec)
	}
	data, err := rec.Encode()
	d.ok(err)
	d.record(id, journal.Event{Kind: "tests", Files: map[string][]byte{"tests.json": data}})
}

// The shipped policies require tests: a tool gets in only if they ran.
func TestAttackUntested(t *testing.T) {
	const untested = "double has to be tested, and no outcome of exactly this content is known"
	open := func(d *world, times string) forge.Pull {
		p := d.proposed("kublai", double(times)...)
		d.approved(p.ID, "ada", "bob")
		return p
	}
	attack(t, "nobody ran any", func(d *world) {
		p := open(d, "2")
		d.Attester = d.who["ada"]
		d.waits(p.ID, "cannot be here: this program runs none")
		d.forged(forgery{id: p.ID, signer: "warden"}, "judged again it is waiting", untested)
	})
	attack(t, "a machine that cannot isolate", func(d *world) {
		p := open(d, "2")
		d.runs(&sandbox.Refusal{Why: "bubblewrap is not installed"})
		d.claimed(p.ID)
		d.waits(p.ID, "waiting: the tests of double have to be run, and cannot be here: bubblewrap is not installed")
	})
	attack(t, "a test that fails", func(d *world) {
		p := open(d, "3")
		d.runs(nil)
		d.waits(p.ID, "1 required test of double fails: own: a pair (fail): answers 6, not 4")
	})
	attack(t, "a made up record", func(d *world) {
		p := open(d, "3")
		d.claimed(p.ID)
		d.Attester = d.who["ada"]
		if _, ex := d.examined(p.ID); !ex.Case.Facts().Tests.Claimed {
			d.Error("the record does not say that it is a claim")
		}
		d.waits(p.ID, "this program runs none")
		d.runs(nil)
		d.waits(p.ID, "1 required test of double fail")
		d.forged(forgery{id: p.ID, signer: "warden"}, "judged again it is waiting")
	})
	attack(t, "a record of something else", func(d *world) {
		p := open(d, "2")
		d.claimed(p.ID, func(r *proof.Record) { r.Proposal = "double-k3v9q2mt" })
		d.claimed(p.ID, func(r *proof.Record) { r.Workspace = p.Head.String() })
		d.claimed(p.ID, func(r *proof.Record) { r.Effective = "sha256:other" })
		d.claimed(p.ID, func(r *proof.Record) { r.Trials[0].Subject = "sha256:other" })
		d.record(p.ID, journal.Event{Kind: "tests", Files: map[string][]byte{"tests.json": []byte(`{"v":1}`)}})
		d.record(p.ID, journal.Event{Kind: "tests"})
		if _, ex := d.examined(p.ID); ex.Case.Facts().Tests != nil {
			d.succeeds("it is taken for one of this content: %v", ex.Case.Facts().Tests)
		}
	})
	attack(t, "an outcome that nobody signs", func(d *world) {
		p := open(d, "3")
		trials := d.praise(p.ID)
		d.forged(forgery{id: p.ID, alter: func(a *attest.Attestation) { a.Tests = trials }}, "no signature vouches for their outcome")
	})
	attack(t, "an outcome that a lead signs", func(d *world) {
		p := open(d, "3")
		trials := d.praise(p.ID)
		d.forged(forgery{id: p.ID, signer: "mallory", alter: func(a *attest.Attestation) { a.Tests = trials }}, "has neither the role human nor witness")
	})
	attack(t, "an outcome of another content", func(d *world) {
		p := open(d, "2")
		trials := d.praise(p.ID)
		trials[0].Subject = "sha256:other"
		d.forged(forgery{id: p.ID, signer: "warden", alter: func(a *attest.Attestation) { a.Tests = trials }}, untested)
	})
	attack(t, "too few runs", func(d *world) {
		p := open(d, "2")
		trials := d.praise(p.ID)
		trials[0].Repeat = 0
		d.forged(forgery{id: p.ID, signer: "warden", alter: func(a *attest.Attestation) { a.Tests = trials }}, untested)
	})
	attack(t, "by a service's button", func(d *world) {
		p := open(d, "2")
		merged := d.tick()
		d.forged(forgery{id: p.ID, message: "Merge pull request (#1)", signer: "warden", alter: func(a *attest.Attestation) { a.Merged = merged }}, untested)
	})
	attack(t, "a suite that is made weaker with the code", func(d *world) {
		d.runs(nil)
		d.merged(double("2")...)
		weaker := double("3")
		weaker[2] = file("skills/double/tests.yaml", "cases:\n  - name: a pair\n    input: {knots: 2}\n    expect: {equals: 6}\n")
		p := d.asked(d.request("kublai", weaker...)).Pull
		d.reportHas(p.ID, capability.RuleSuiteAppend)
		d.runs(nil)
		d.waits(p.ID, "validation found")
	})
	attack(t, "a callee that breaks its caller", func(d *world) {
		d.runs(nil)
		d.merged(double("2")...)
		d.merged(fourfold()...)
		d.begin()
		p := open(d, "2 if input.get(\"knots\") == 2 else 0")
		trials := d.praise(p.ID)[:1] // without a trial of the caller
		d.runs(nil)
		d.waits(p.ID, "what holds of fourfold, which calls double, does not hold with this change", "answers 0, not 12")
		d.forged(forgery{id: p.ID, signer: "warden", alter: func(a *attest.Attestation) { a.Tests = trials }}, "fourfold has to be tested")
	})
	deprecated := func(edits []tree.Edit) []tree.Edit {
		edits[1] = file(edits[1].Path, strings.Replace(content(edits[1]), "status: active", "status: deprecated", 1))
		return edits
	}
	attack(t, "other code, called a farewell", func(d *world) {
		d.runs(nil)
		d.merged(double("2")...)
		d.begin()
		p := d.proposed("kublai", deprecated(double("3"))...)
		d.approved(p.ID, "ada", "bob")
		d.waits(p.ID, "1 required test of double fails")
		d.forged(forgery{id: p.ID, signer: "warden"}, "judged again it is waiting")
	})
	attack(t, "a tool that fails is deprecated", func(d *world) { // and needs no test for that
		d.runs(nil)
		d.merged(double("2")...)
		p := d.proposed("kublai", deprecated(double("2"))...)
		d.approved(p.ID, "ada", "bob")
		d.runs(&sandbox.Refusal{Why: "bubblewrap is not installed"})
		if out := d.merge(p.ID); !out.Merged {
			d.Errorf("it does not merge: %s", out.Refused)
		}
		d.begin()
		d.unchanged()
	})
	attack(t, "a tool that holds", func(d *world) { // the attacks above are not stopped by something else
		p := open(d, "2")
		d.runs(nil)
		if out := d.merge(p.ID); !out.Merged {
			d.Errorf("it does not merge: %s", out.Refused)
		}
		d.begin()
		d.unchanged()
	})
}

func testDefences() map[string]defence {
	const untested = "TestAttackUntested/"
	return map[string]defence{
		"tests-required":        {attack: untested + "nobody ran any"},
		"failing-tests-block":   {attack: untested + "a test that fails"},
		"callers-are-tested":    {attack: untested + "a callee that breaks its caller"},
		"same-code-is-compared": {attack: untested + "other code, called a farewell"},
		"tests-are-vouched-for": {attack: untested + "an outcome that a lead signs"},
		"records-prove-nothing": {attack: untested + "a made up record", with: []string{"tests-are-vouched-for"}, instead: "if known == nil { known = c.recordedTrials() }"},
	}
}
