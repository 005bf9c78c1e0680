package audit

import (
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// checkSignature checks the signature of a merge's attestation: it exists if the merge
// commit or the attestation claims it, it is valid, and its signer is known to the
// policies before the merge. It counts attestations without a signature.
func (v *mergeJudge) checkSignature(c gitstore.Commit, att attest.Attestation, ex workspace.Examined) *Break {
	var data, sig []byte
	for _, m := range ex.Case.Activity.Merges {
		if m.Commit == c.Hash {
			data, sig = m.Attestation, m.Signature
			break
		}
	}
	if said := values(c, attest.AttesterTrailer); !att.Afterwards() && said != string(att.Signer) {
		return v.broken(RuleAttestation, backup, "the merge commit says that its attestation is signed with %s, and the attestation says %s", orNothing(said), orNothing(string(att.Signer)))
	}
	switch {
	case att.Signer == "" && len(sig) == 0:
		v.res.Unsigned++
		v.res.Unproven = append(v.res.Unproven, Reservation{Proposal: att.Proposal, Commit: c.Hash, Note: "nobody signed for this merge; when it happened is the journal's word"})
		return nil
	case att.Signer == "":
		return v.broken(RuleAttestation, backup, "a signature stands beside its attestation, which names nobody who signed")
	case len(sig) == 0:
		return v.broken(RuleAttestation, backup, "its attestation was signed with %s, and the signature is gone", att.Signer)
	}
	key, err := review.VerifyAttestation(data, sig)
	if err != nil {
		return v.broken(RuleAttestation, backup, "%v", err)
	}
	id, known := ex.Case.Policies.Roles.ByKey(key)
	switch {
	case key != att.Signer:
		return v.broken(RuleAttestation, backup, "its attestation is signed with %s, and says %s", key, att.Signer)
	case !known:
		return v.broken(RuleAttestation, backup, "its attestation is signed with %s, which %s did not list then", key, policy.RolesFile)
	case id.Expired(att.At):
		return v.broken(RuleAttestation, backup, "its attestation is signed by %s, whose entry in %s had expired", id.Name, policy.RolesFile)
	}
	v.res.Signed++
	return nil
}

func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}
