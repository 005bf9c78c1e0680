package audit

import (
	"fmt"

	"github.com/assent-dev/assent/engine/attest"
	"github.com/assent-dev/assent/engine/gate"
	"github.com/assent-dev/assent/engine/gitstore"
	"github.com/assent-dev/assent/engine/policy"
	"github.com/assent-dev/assent/engine/validate"
	"github.com/assent-dev/assent/engine/version"
	"github.com/assent-dev/assent/engine/workspace"
)

// compare holds a merge's attestation against what judging it again gave.
func (v *verifier) compare(att attest.Attestation, ex workspace.Examined) *Break {
	if recordedEngine(att, ex) != version.Engine {
		v.res.OtherEngines++
	} else if digest, err := ex.Report.Digest(); err != nil || digest != att.Report {
		return broken(RuleReport, backup, "its report has the digest %s, validating it again gives %s", att.Report, digest)
	}
	for _, c := range []struct{ what, says, is string }{
		{"proposal", att.Proposal, ex.Case.Pull.ID},
		{"change", att.Effective, ex.Case.Effective},
		{"risk", att.Risk.String(), ex.Risk.Tier.String()},
		{"verdict", att.Verdict.Outcome.String(), ex.Verdict.Outcome.String()},
	} {
		if c.says != c.is {
			return broken(RuleVerdict, backup, "its attestation says the %s is %s, judging it again gives %s", c.what, c.says, c.is)
		}
	}
	return nil
}

// recordedEngine is the version of the program that made the recorded report.
func recordedEngine(att attest.Attestation, ex workspace.Examined) string {
	for _, s := range ex.Case.Activity.Statuses {
		if s.Digest == att.Report {
			if r, err := validate.ParseReport(s.Report); err == nil {
				return r.Engine
			}
		}
	}
	return ""
}

// reservations names what was approved by somebody who wrote it, or by fewer
// people than the policies ask for because there are not more.
func (v *verifier) reservations(c gitstore.Commit, ex workspace.Examined) {
	facts, roles := ex.Case.Facts(), ex.Case.Policies.Roles
	humans := 0
	for _, name := range gate.Approvers(ex.Case) {
		id, _ := roles.ByName(name)
		if roles.Satisfies(id, policy.Human) {
			humans++
		}
		if _, note := policy.MayApprove(ex.Case.Policies, facts, id); note != "" {
			v.res.Reservations = append(v.res.Reservations, Reservation{ex.Case.Pull.ID, c.Hash, note})
		}
	}
	for _, need := range ex.Case.Policies.Approvals.Tiers[ex.Risk.Tier] {
		if need.Role == policy.Human && humans < need.Count {
			v.res.Reservations = append(v.res.Reservations, Reservation{ex.Case.Pull.ID, c.Hash,
				fmt.Sprintf("%s risk wants %d humans, and there were not more than %d to ask", ex.Risk.Tier, need.Count, humans)})
		}
	}
}
