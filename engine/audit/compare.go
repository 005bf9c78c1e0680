package audit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/version"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// compare compares a merge's attestation with the result of judging the merge again, and
// with the commit. A report by another version of the program is accepted, but not
// another content of the merge.
func (v *mergeJudge) compare(c gitstore.Commit, att attest.Attestation, ex workspace.Examined) *Break {
	recorded := recordedEngine(att, ex)
	if recorded != version.Engine {
		v.res.OtherEngines++
	} else if digest, err := ex.Report.Digest(); err != nil || digest != att.Report {
		if b := v.broken(RuleReport, backup, "its report has the digest %s, validating it again gives %s", att.Report, digest); b != nil {
			return b
		}
	}
	change := ex.Case.Effective
	if recorded != version.Engine && att.Effective == ex.Case.Plain {
		change = ex.Case.Plain // as engines up to 0.4.0 computed it
	}
	rows := []row{
		{"proposal", att.Proposal, ex.Case.Pull.ID},
		{"change", att.Effective, change},
		{"verdict", att.Verdict.Outcome.String(), ex.Verdict.Outcome.String()},
		{"date", stamp(att.Instant()), stamp(c.Committer.When)},
		{"engine", att.Engine, recorded},
	}
	if recorded == version.Engine {
		rows = append(rows, row{"risk", att.Risk.String(), ex.Risk.Tier.String()}, row{"verdict's reasons", asJSON(att.Verdict), asJSON(ex.Verdict)}, row{"form", asStored(c, ex), asWritten(att)})
	}
	if row, ok := cameFrom(att, ex); ok {
		rows = append(rows, row)
	}
	for _, r := range rows {
		if r.says != r.is {
			if b := v.broken(RuleVerdict, backup, "its attestation says the %s is %s, judging it again gives %s", r.what, r.says, r.is); b != nil {
				return b
			}
		}
	}
	if recorded != version.Engine {
		return nil
	}
	if att.Afterwards() { // the commit is the service's, so its text proves nothing
		said, is := strings.Join(att.Approvers, ", "), strings.Join(gate.Approvers(ex.Case), ", ")
		if said != is {
			return v.broken(RuleVerdict, backup, "its attestation says that %s approved, judging it again gives %s", orNothing(said), orNothing(is))
		}
		return nil
	}
	if len(att.Approvers) > 0 {
		return v.broken(RuleVerdict, backup, "its attestation names approvers, as those of merges by a service do, and assent made it")
	}
	return v.compareTrailers(c, att, ex)
}

// cameFrom compares the provenance in an attestation with the records of it. Merges from
// before such records have none.
func cameFrom(att attest.Attestation, ex workspace.Examined) (row, bool) {
	recorded := slices.ContainsFunc(ex.Case.Activity.Pushes, func(p forge.Push) bool { return len(p.Provenance) > 0 })
	if att.Provenance == "" && !recorded {
		return row{}, false
	}
	return row{"provenance", att.Provenance, ex.Case.ProvenanceDigest()}, true
}

// row is a fact that is stated in two places.
type row struct{ what, says, is string }

func stamp(t time.Time) string { return t.UTC().Truncate(time.Second).Format(time.RFC3339) }

// asJSON returns a value as records store it, so that stored and computed values can be
// compared.
func asJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// asStored returns the attestation of a merge as its journal stores it; asWritten is its
// canonical form. Duplicate or differently spelt fields are parsed alike but displayed
// differently.
func asStored(c gitstore.Commit, ex workspace.Examined) string {
	for _, m := range ex.Case.Activity.Merges {
		if m.Commit == c.Hash {
			return string(m.Attestation)
		}
	}
	return ""
}

func asWritten(att attest.Attestation) string {
	data, err := att.Encode()
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// compareTrailers checks the facts that a merge commit repeats for people. git log and
// assent log show them, and neither can verify them.
func (v *mergeJudge) compareTrailers(c gitstore.Commit, att attest.Attestation, ex workspace.Examined) *Break {
	for _, r := range []row{
		{attest.ProposalTrailer, values(c, attest.ProposalTrailer), att.Proposal},
		{agentTrailer, values(c, agentTrailer), strings.Join(strings.Fields(ex.Case.Proposal.Agent), " ")},
		{riskTrailer, values(c, riskTrailer), att.Risk.String()},
		{reportTrailer, values(c, reportTrailer), att.Report},
		{approverTrailer, values(c, approverTrailer), strings.Join(gate.Approvers(ex.Case), ", ")},
		{"author's date", stamp(c.Author.When), stamp(att.At)},
	} {
		if r.says != r.is {
			if b := v.broken(RuleTrailers, backup, "its %s is %q, and its attestation gives %q", r.what, r.says, r.is); b != nil {
				return b
			}
		}
	}
	return nil
}

// values returns all values of a trailer.
func values(c gitstore.Commit, key string) string {
	var out []string
	for _, t := range c.Trailers() {
		if t.Key == key {
			out = append(out, t.Value)
		}
	}
	return strings.Join(out, ", ")
}

// recordedEngine returns the version of the program that made the recorded report.
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

// noteReservations lists approvals by an author of the change, and approvals by fewer
// people than the policies require because no more exist.
func (v *mergeJudge) noteReservations(c gitstore.Commit, ex workspace.Examined) {
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
