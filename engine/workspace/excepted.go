package workspace

import (
	"slices"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/version"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// judgedElse reports whether the recorded report of a merge claims to be from another version of
// the program. Any pusher can write that claim.
func judgedElse(recorded, today validate.Report) bool {
	return recorded.Passed && !recorded.Diagnostics.HasErrors() && (recorded.Engine != version.Engine || raisesFormat(today))
}

// raisesFormat reports whether a change gives the workspace a format that this program does not
// know. Only a newer program can have judged it, whichever version it recorded, and this one
// cannot read the commits after it.
func raisesFormat(r validate.Report) bool {
	return slices.ContainsFunc(r.Diagnostics, func(d diag.Diagnostic) bool { return d.Rule == validate.RuleNewFormat })
}

// except judges a merge again that today's rules refuse and another version's allowed: with the
// stricter of both reports, and with its signers if today's report refuses. The change is still
// recomputed. See docs/adr/0019.
func (ex *Examined) except(recorded validate.Report, vouchers []policy.Actor) {
	today := ex.Verdict
	ex.Case.Earlier = &gate.Earlier{Report: recorded, Vouchers: vouchers}
	ex.Verdict, ex.Risk = gate.Judge(ex.Case)
	if ex.Verdict.Outcome == policy.Allowed {
		ex.Excepted = "allowed by " + ex.Case.Earlier.By() + "; today's rules would not: " + today.Outcome.String() + ", " + today.Reason
	}
}

// excepted returns Excepted for a merge that is only shown.
func (ex Examined) excepted(recorded validate.Report, vouchers []policy.Actor) string {
	ex.Case.Pull.State = forge.Open
	if ex.Verdict, _ = gate.Judge(ex.Case); ex.Verdict.Outcome != policy.Allowed && judgedElse(recorded, ex.Report) {
		ex.except(recorded, vouchers)
	}
	return ex.Excepted
}

// remedy says how to bring a merge that another version allowed back into force.
func (ex *Examined) remedy() string {
	if ex.Case.Earlier == nil {
		return ""
	}
	return "; " + ex.Case.Earlier.By() + " let it pass: checkpoints that humans signed while it was in force count as their approvals: assent audit verify --checkpoint FILE"
}

// attester returns the signer of a merge's attestation; none if it is unsigned or the
// signature is invalid.
func attester(activity forge.Activity, c gitstore.Commit) []policy.Actor {
	for _, m := range activity.Merges {
		if m.Commit != c.Hash {
			continue
		}
		if key, err := review.VerifyAttestation(m.Attestation, m.Signature); err == nil {
			return []policy.Actor{{Key: key}}
		}
		break
	}
	return nil
}
