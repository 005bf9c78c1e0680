package review

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/base/canonical"
)

// ApprovalNamespace is that of decisions about jobs of runs.
const ApprovalNamespace = "assent-approval"

// Approval is a person's decision about one job of a run.
type Approval struct {
	// V is the format's version; see Version.
	V         int    `json:"v"`
	Workspace string `json:"workspace"`
	Run       string `json:"run"`
	Job       string `json:"job"`
	Attempt   int    `json:"attempt"`
	// Basis is the digest of what the person saw: the run's start and the results of the jobs before.
	Basis string `json:"basis"`
	// Decision is Approve or Reject.
	Decision Decision `json:"decision"`
	Reason   string   `json:"reason"`
	// At and Nonce are as in Record.
	At    time.Time `json:"at"`
	Nonce string    `json:"nonce"`
}

// Check returns an error for the first fault that prevents signing.
func (a Approval) Check() error {
	var err error
	if a.V != Version {
		err = fmt.Errorf("approval version %d; this program reads %d: update assent", a.V, Version)
	}
	for _, id := range []string{a.Workspace, a.Run, a.Job, a.Basis} {
		if !identifier().MatchString(id) {
			err = cmp.Or(err, fmt.Errorf("%q: want letters, digits and ._:- only, at most 128", id))
		}
	}
	if a.Decision != Approve && a.Decision != Reject || a.Attempt < 1 {
		err = cmp.Or(err, errors.New("want approve or reject, of an attempt"))
	}
	return cmp.Or(err, Record{Decision: a.Decision, Reason: a.Reason}.CheckReason(), canonical.CheckNonce(a.Nonce), canonical.CheckInstant(a.At))
}

// Encode returns the canonical bytes of a, which are signed.
func (a Approval) Encode() ([]byte, error) { return canonical.Encode("", a) }

// SignApproval encodes a and signs the bytes.
func SignApproval(a Approval, signer ssh.Signer) (out Signed, err error) {
	if out.Record, err = a.Encode(); err == nil {
		out.Signature, err = sign(out.Record, signer, ApprovalNamespace)
	}
	if err != nil {
		return Signed{}, fmt.Errorf("sign the decision about a job: %w", err)
	}
	return out, nil
}

// VerifyApproval checks the signature and decodes the decision. It does not decide whether the key
// counts. After any error the decision must not count.
func VerifyApproval(s Signed) (Approval, Fingerprint, error) {
	key, err := verify(s.Record, s.Signature, ApprovalNamespace)
	if err != nil {
		return Approval{}, "", fmt.Errorf("signature of a decision about a job: %w", err)
	}
	a, err := canonical.Decode[Approval]("decision about a job", s.Record, MaxRecord)
	if err != nil {
		return Approval{}, "", err
	}
	return a, key, nil
}
