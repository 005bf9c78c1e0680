package workspace

import (
	"slices"

	"github.com/assent-dev/assent/engine/base/version"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proof"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// subjects returns the dependencies of a change's tests, for its capabilities that have
// tests. There are none if no policy asks for tests and no outcome is recorded.
func subjects(cur Session, result *View, c gate.Case, engine string) ([]proof.Subject, error) {
	if len(cur.Policies.Security.Tests.Required) == 0 && len(c.Activity.Proofs) == 0 {
		return nil, nil
	}
	return SubjectsOf(cur, result, c.Report.Changes, engine)
}

// SubjectsOf returns the dependencies of a change's tests, if that version of the engine runs
// them.
func SubjectsOf(cur Session, result *View, changes policy.Changes, engine string) ([]proof.Subject, error) {
	var out []proof.Subject
	for _, changed := range slices.Concat(changes.Capabilities, changes.Callers) {
		if !policy.Provable(changed) {
			continue
		}
		s, err := proof.SubjectOf(result, cur.View, changed.Path, cur.Policies.TestTerms(engine))
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// attestedSubjects returns the subjects in an attestation, for display only.
func attestedSubjects(trials []proof.Trial) []proof.Subject {
	var out []proof.Subject
	for _, t := range trials {
		out = append(out, proof.Subject{Name: t.Name, Path: t.Path, Digest: t.Subject})
	}
	return out
}

// Prove adds test outcomes to an examined pull request, or why the tests could not be run, and
// judges it for the merge: recorded outcomes no longer count.
func (ex *Examined) Prove(trials []proof.Trial, unrun string) {
	ex.Case.Proven, ex.Case.Unrun, ex.Case.Hearsay = trials, unrun, false
	ex.Verdict, ex.Risk = gate.Judge(ex.Case)
}

// Hope judges an examined pull request as if the test outcomes in its journal were true.
func (ex *Examined) Hope() {
	ex.Case.Hearsay = true
	ex.Verdict, ex.Risk = gate.Judge(ex.Case)
}

// attested takes test results from the attestation, if the policies ask for tests. Its
// signer vouches for them. An error is a refusal.
func (j rejudging) attested(ex *Examined) error {
	if len(j.before.Policies.MustProve(ex.Case.Report.Changes)) == 0 {
		return nil
	}
	//defence:tests-are-vouched-for
	if err := vouchedTests(j.before.Policies.Roles, j.att, j.commit, ex.Case); err != nil {
		return err
	}
	ex.Case.Proven = slices.Clone(j.att.Tests)
	if j.att.Engine == version.Engine {
		return nil
	}
	view, err := j.before.See(j.result.Tree)
	if err == nil {
		ex.Case.Subjects, err = SubjectsOf(j.before, view, ex.Case.Report.Changes, j.att.Engine)
	}
	return err
}

// vouchedTests checks the signer of an attestation's test results.
func vouchedTests(roles policy.Roles, att attest.Attestation, c gitstore.Commit, in gate.Case) error {
	const asked = "security.yaml asks for tests"
	at := slices.IndexFunc(in.Activity.Merges, func(m forge.Announcement) bool { return m.Commit == c.Hash })
	if at < 0 {
		return attest.Refuse("its pull request does not announce this commit: it was not merged by assent")
	}
	key, err := review.VerifyAttestation(in.Activity.Merges[at].Attestation, in.Activity.Merges[at].Signature)
	if err != nil {
		return attest.Refuse("%s, and no signature vouches for their outcome: %v", asked, err)
	}
	if id, known := roles.ByKey(key); !known || !vouches(roles, id) || id.Expired(att.At) {
		return attest.Refuse("%s, and %s, which vouches for their outcome, has neither the role human nor witness", asked, key)
	}
	return nil
}

// vouches reports whether an identity may vouch for test results.
func vouches(roles policy.Roles, id policy.Identity) bool {
	return roles.Has(id, policy.Human) || roles.Has(id, policy.Witness)
}

// CanVouch reports whether the key that signs attestations here belongs to an identity that
// may vouch for test results.
func (s Session) CanVouch() bool {
	signer := s.Signer()
	if signer == nil {
		return false
	}
	return Vouches(s, review.FingerprintOf(signer.PublicKey()))
}

// Vouches is CanVouch for a key.
func Vouches(s Session, key review.Fingerprint) bool {
	id, known := s.Policies.Roles.ByKey(key)
	return known && vouches(s.Policies.Roles, id) && !id.Expired(s.Now())
}

// NeedsVoucher reports whether only a key that may vouch for test results merges ex.
func NeedsVoucher(s Session, ex Examined) bool {
	return s.Policies.Security.Attestations == policy.SignedAttestations || len(s.Policies.MustProve(ex.Report.Changes)) > 0
}
