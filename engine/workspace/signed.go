package workspace

import (
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// signedAsRequired refuses an announcement without a human's or witness's signature, if the
// policies before the merge require one. The commit must also name a key of the signer, so
// that deleting the journal does not hide the merge. A service's commit cannot name one.
func signedAsRequired(policies policy.Policies, one claim, c gitstore.Commit) error {
	if policies.Security.Attestations != policy.SignedAttestations {
		return nil
	}
	id, known := policies.Roles.ByKey(one.key)
	//defence:attestations-are-signed
	if one.key == "" || !known || !vouches(policies.Roles, id) || id.Expired(one.att.At) {
		return attest.Refuse("no human or witness signed its attestation, as attestations: signed in %s requires", policy.SecurityFile)
	}
	named, _ := policies.Roles.ByKey(review.Fingerprint(c.Trailer(attest.AttesterTrailer)))
	//defence:signed-merges-name-their-key
	if !one.att.Afterwards() && named.Name != id.Name {
		return attest.Refuse("its commit does not name %s, who signed its attestation, as attestations: signed in %s requires", id.Name, policy.SecurityFile)
	}
	return nil
}
