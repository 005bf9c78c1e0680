package workspace

import (
	"context"
	"slices"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/version"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// judgedElse reports whether the recorded report of a merge claims to be from another version of
// the program. Any pusher can write that claim: see believed.
func judgedElse(recorded, today validate.Report) bool {
	return recorded.Passed && !recorded.Diagnostics.HasErrors() && (recorded.Engine != version.Engine || raisesFormat(today))
}

// raisesFormat reports whether a change gives the workspace a format that this program does not
// know. Only a newer program can have judged it, whichever version it recorded, and this one
// cannot read the commits after it.
func raisesFormat(r validate.Report) bool {
	return slices.ContainsFunc(r.Diagnostics, func(d diag.Diagnostic) bool { return d.Rule == validate.RuleNewFormat })
}

// excuse judges a merge again that today's rules refuse and another version's allowed, if the
// claim of that version is believed: with what versions before did not record, with the stricter of
// both reports, and with its signers if today's report refuses. The change is still recomputed. See
// docs/adr/0019.
func excuse(ctx context.Context, s Session, ex *Examined, recorded validate.Report, att attest.Attestation, signers []policy.Actor) error {
	if ex.Verdict.Outcome == policy.Allowed || !judgedElse(recorded, ex.Report) {
		return nil
	}
	if !raisesFormat(ex.Report) { // which readers stop at in any case
		believed, err := believed(ctx, s, recorded.Engine, ex, att, signers)
		if err != nil {
			return err
		}
		if ex.disbelieved = !believed; !believed {
			return nil
		}
	}
	ex.Case.Early, ex.Case.PlainStands, ex.Case.Rejected = att.Provenance == "", ex.settled == ex.Case.Plain, att.Rejected
	ex.Case.Undated = true
	if ex.Verdict, ex.Risk = gate.Judge(ex.Case); ex.Verdict.Outcome == policy.Allowed {
		return nil
	}
	today := ex.Verdict
	ex.Case.Earlier = &gate.Earlier{Report: recorded, Vouchers: signers}
	ex.Verdict, ex.Risk = gate.Judge(ex.Case)
	if ex.Verdict.Outcome == policy.Allowed {
		ex.Excepted = "allowed by " + ex.Case.Earlier.By() + "; today's rules would not: " + today.Outcome.String() + ", " + today.Reason
	}
	return nil
}

// excepted returns Excepted for a merge that is only shown.
func excepted(ctx context.Context, s Session, ex Examined, recorded validate.Report, att attest.Attestation, signers []policy.Actor) (string, error) {
	ex.Case.Pull.State = forge.Open
	ex.Verdict, _ = gate.Judge(ex.Case)
	err := excuse(ctx, s, &ex, recorded, att, signers)
	return ex.Excepted, err
}

// remedy says how to bring a merge that another version allowed back into force.
func (ex *Examined) remedy() string {
	const checkpoint = ": assent audit verify --checkpoint FILE"
	switch {
	case ex.disbelieved:
		return "; its record says that another version let it pass, and no listed human or witness signed for that: a checkpoint that one of them signed while it was in force does" + checkpoint
	case ex.Case.Earlier == nil:
		return ""
	}
	return "; " + ex.Case.Earlier.By() + " let it pass: checkpoints that humans signed while it was in force count as their approvals" + checkpoint
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
