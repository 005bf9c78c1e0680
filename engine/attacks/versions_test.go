package attacks_test

import (
	"fmt"
	"testing"

	"github.com/assent-dev/assent/engine/base/version"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

func versionDefences() map[string]defence {
	const claims = "TestAttackClaimedVersion/"
	return map[string]defence{
		"unsigned-claims-are-of-older-versions": {attack: claims + `what validation refuses, as version "9.9.9", signed by ""`},
		"versions-do-not-go-back-for-an-excuse": {attack: claims + `what validation refuses, as version "0.4.9", signed by ""`},
	}
}

// Everybody approved a proposal, and then a required check failed, or main moved on and validation
// or the scanner refuses it. An attacker without a listed key merges it, and claims in the record
// that a program of another version did.
func TestAttackClaimedVersion(t *testing.T) {
	base := newWorld(t)
	checked := base.checked()
	plain := newWorld(t)
	plain.merged(skill("granny-knot"))
	everybody := func(edits ...string) func(d *world) forge.Pull {
		return func(d *world) forge.Pull {
			bad := skill("clove-hitch", edits[1:]...)
			bad.Content = []byte(edits[0] + content(bad)[len("---\n"):])
			p := d.asked(d.request("kublai", bad)).Pull
			d.approved2(p.ID, "ada", "bob")
			return p
		}
	}
	n := 0
	for what, in := range map[string]struct {
		base    *world
		prepare func(d *world) forge.Pull
	}{
		"a check that nobody ran": {base, func(*world) forge.Pull { return checked }},
		"a check that failed": {base, func(d *world) forge.Pull {
			failed := d.honest(checked.ID)
			failed.Passed, failed.Reason = false, "exit code 1"
			d.result(checked.ID, d.signedResult(failed, d.who["second"]))
			return checked
		}},
		"what validation refuses":  {plain, everybody("---\ncolour: red\n")},
		"what the scanner refuses": {plain, everybody("---\n", "\nKey: AKIA"+"IOSFODNN7EXAMPLQ and ghp_"+"0123456789abcdefghijABCDEFGHIJ012345\n")},
	} {
		start := in.base.clone(t)
		p := in.prepare(start)
		if _, ex := start.examined(p.ID); ex.Verdict.Outcome == policy.Allowed {
			t.Fatalf("%s is allowed", what)
		}
		for _, claimed := range []string{"0.0.1", "0.3.9", "0.4.0", "0.4.9", "0.4.0+x", version.Engine + "-rc.1", version.Engine, "0.5.1", "9.9.9", "", "x", "v0.4.0", "0.4"} {
			for _, signer := range []string{"", "mallory", "mongke"} {
				n++
				t.Run(fmt.Sprintf("%s, as version %q, signed by %q", what, claimed, signer), func(t *testing.T) {
					d := start.clone(t)
					d.forged(forgery{
						id: p.ID, signer: signer, alter: func(a *attest.Attestation) { a.Engine = claimed },
						report: func(r *validate.Report) {
							r.Engine, r.Diagnostics, r.Passed, r.Scan = claimed, nil, true, policy.Scan{Ran: true}
						},
					}, "judged again it is")
				})
			}
		}
	}
	if n < 100 {
		t.Errorf("%d variants", n)
	}
	t.Run("a check, signed by a human", func(t *testing.T) {
		d := base.clone(t)
		d.forged(forgery{id: checked.ID, signer: "ada", report: func(r *validate.Report) { r.Engine = "0.4.0" }}, "the check spelling is missing")
	})
	t.Run("what two humans and a witness signed for is excepted", func(t *testing.T) {
		d := plain.clone(t)
		p := everybody("---\ncolour: red\n")(d)
		h := d.forge(forgery{id: p.ID, signer: "warden", report: func(r *validate.Report) {
			r.Engine, r.Diagnostics, r.Passed, r.Scan = "0.4.0", nil, true, policy.Scan{Ran: true}
		}})
		if cur, err := d.Session(d.Context()); err != nil || cur.InForce != h {
			t.Errorf("in force is %s, %v", cur.InForce.Short(), err)
		}
	})
}
