package attest

import (
	"bytes"
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

// Attestation is the recorded evidence of a merge: the change, the policies that judged it, and
// the verdict.
type Attestation struct {
	V        int    `json:"v"`
	Proposal string `json:"proposal"`
	// From is the commit in force whose policies judged, and the base of the judged difference. It
	// is the first parent, except for a merge that adopts commits made past the gate.
	From tree.Hash `json:"from"`
	// Base and Head are the merge's parents, Tree is its tree. In a merge that a service squashed,
	// Head is not a parent.
	Base tree.Hash `json:"base"`
	Head tree.Hash `json:"head"`
	Tree tree.Hash `json:"tree"`
	// Effective is the digest of the proposal's change (gate.Effective).
	Effective string `json:"effective"`
	// Report is the digest of the report on Tree against From.
	Report  string         `json:"report"`
	Risk    policy.Tier    `json:"risk"`
	Verdict policy.Verdict `json:"verdict"`
	// Provenance is the digest of the proposal's origin (gate.ProvenanceDigest); empty in merges
	// made before it was recorded.
	Provenance string `json:"provenance,omitempty"`
	// Tests are the test results of the capabilities in the merge, run by the merging
	// program. They count if Signer has the role human or witness.
	Tests []proof.Trial `json:"tests,omitempty"`
	// Service is the service whose accounts decided, as roles.yaml calls it in logins, and
	// Observed their decisions as it showed them. They count if Signer has the role witness; both
	// are empty if every decision that counts is signed.
	Service  string     `json:"service,omitempty"`
	Observed []Observed `json:"observed,omitempty"`
	// Taken says how part of the branch got into main before the merge. It is set if accounts
	// reviewed such a branch. It counts if Signer has the role witness, and can only void approvals.
	Taken *policy.Taken `json:"taken,omitempty"`
	// Rejected lists the known earlier rejections of the same change. It can only ask for more
	// approvals. Readers add those that they derive, unless Signer has the role human or witness.
	Rejected []policy.Rejection `json:"rejected,omitempty"`
	// Signer is the key that signed the attestation; empty if it is unsigned.
	Signer review.Fingerprint `json:"signer,omitempty"`
	Engine string             `json:"engine"`
	At     time.Time          `json:"at"`
	// Merged is set if a service made the commit: its date. At is then the time of the attestation
	// by an engine, and Approvers are those whose approvals counted, which the commit could not
	// name.
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

// AttesterTrailer names, in a merge commit, the key that signed its attestation, so that a removed
// signature is noticed.
const AttesterTrailer = "Assent-Attested-By"

// Encode writes the attestation.
func (a Attestation) Encode() ([]byte, error) {
	data, err := json.MarshalIndent(a, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode attestation: %w", err)
	}
	return append(data, '\n'), nil
}

// maxObjects bounds the braces of an attestation. Empty objects take little text and much memory;
// an engine writes a few per rule, approver and outcome of tests.
const maxObjects = 10_000

// Decode reads an attestation of this version.
func Decode(data []byte) (Attestation, error) {
	var a Attestation
	//defence:attestations-hold-few-objects
	if n := bytes.Count(data, []byte("{")); n > maxObjects {
		return a, fmt.Errorf("decode attestation: it has %d objects, at most %d are read", n, maxObjects)
	}
	if err := json.Unmarshal(data, &a); err != nil {
		return a, fmt.Errorf("decode attestation: %w", err)
	}
	if a.V != Version {
		return a, fmt.Errorf("the attestation has format version %d; this program reads %d: update assent", a.V, Version)
	}
	return a, nil
}
