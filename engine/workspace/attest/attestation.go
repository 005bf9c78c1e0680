package attest

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/proof"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// Version is the version of the attestation's format.
const Version = 1

// Attestation is the evidence that is kept beside a merge: what was judged, by
// which policies, with which outcome.
type Attestation struct {
	V        int    `json:"v"`
	Proposal string `json:"proposal"`
	// From is the commit in force whose policies judged, and against which the
	// difference was taken. It is the first parent, except for the merge that adopts
	// commits made past the gate.
	From tree.Hash `json:"from"`
	// Base and Head are the merge's parents, Tree is its tree. Head is no parent of what a
	// service squashed.
	Base tree.Hash `json:"base"`
	Head tree.Hash `json:"head"`
	Tree tree.Hash `json:"tree"`
	// Effective is the digest of the proposal's change (gate.Effective).
	Effective string `json:"effective"`
	// Report is the digest of the report on Tree against From.
	Report  string         `json:"report"`
	Risk    policy.Tier    `json:"risk"`
	Verdict policy.Verdict `json:"verdict"`
	// Provenance is the digest of where the proposal came from (gate.ProvenanceDigest);
	// empty in what was merged before that was recorded.
	Provenance string `json:"provenance,omitempty"`
	// Tests are the test results of the capabilities in the merge, run by the merging
	// program. They count if Signer has the role human or witness.
	Tests []proof.Trial `json:"tests,omitempty"`
	// Service is the service whose accounts decided, as roles.yaml calls it in logins,
	// and Observed what it showed of their decisions. They count by Signer's role
	// witness; both are empty where every decision that counts is signed by itself.
	Service  string     `json:"service,omitempty"`
	Observed []Observed `json:"observed,omitempty"`
	// Taken says how part of the branch got into main before the merge. It is set if accounts
	// reviewed such a branch. It counts if Signer has the role witness, and can only void approvals.
	Taken *policy.Taken `json:"taken,omitempty"`
	// Rejected is what was known of earlier rejections of the same. It can only ask for more
	// approvals.
	Rejected []policy.Rejection `json:"rejected,omitempty"`
	// Signer is the key that signed the attestation; empty if it is unsigned.
	Signer review.Fingerprint `json:"signer,omitempty"`
	Engine string             `json:"engine"`
	At     time.Time          `json:"at"`
	// Merged is set where a service made the commit by itself: its date. At is then when
	// an engine attested it, and Approvers whose approvals counted, which nobody could
	// write into the commit.
	Merged    time.Time `json:"merged,omitzero"`
	Approvers []string  `json:"approvers,omitempty"`
}

// Afterwards reports whether a service made the commit, and an engine attested it later.
func (a Attestation) Afterwards() bool { return !a.Merged.IsZero() }

// Instant returns the time of the merge, as of which it is judged.
func (a Attestation) Instant() time.Time {
	if a.Afterwards() {
		return a.Merged
	}
	return a.At
}

// Observed is one account's decision as a service showed it.
type Observed struct {
	Login    string    `json:"login"`
	Decision string    `json:"decision"` // approve, reject, request-changes or revoke
	Reason   string    `json:"reason,omitempty"`
	Head     tree.Hash `json:"head"`
	At       time.Time `json:"at"`
}

// AttesterTrailer says of a merge commit whose key signed its attestation, so that a
// signature which was taken away is missed.
const AttesterTrailer = "Assent-Attested-By"

// Encode writes the attestation.
func (a Attestation) Encode() ([]byte, error) {
	data, err := json.MarshalIndent(a, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode attestation: %w", err)
	}
	return append(data, '\n'), nil
}

// Decode reads an attestation of this version.
func Decode(data []byte) (Attestation, error) {
	var a Attestation
	if err := json.Unmarshal(data, &a); err != nil {
		return a, fmt.Errorf("decode attestation: %w", err)
	}
	if a.V != Version {
		return a, fmt.Errorf("the attestation has format version %d; this program reads %d: update assent", a.V, Version)
	}
	return a, nil
}
