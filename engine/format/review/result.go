package review

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/base/tree"
)

// ResultNamespace is that of results of jobs.
const ResultNamespace = "assent-result"

// Result is the outcome of one script of a workflow on one merge result, as signed by the
// program that ran it.
type Result struct {
	// V is the format's version; see Version.
	V int `json:"v"`
	// Workspace and Proposal are as in Record, Head is the proposal's commit.
	Workspace string    `json:"workspace"`
	Proposal  string    `json:"proposal"`
	Head      tree.Hash `json:"head"`
	// Base is the commit in force that Head was merged with, Tree the tree of the merge result.
	Base tree.Hash `json:"base"`
	Tree tree.Hash `json:"tree"`
	// Workflow and Job name the script, Definition is the digest of the workflow at Base.
	Workflow   string `json:"workflow"`
	Job        string `json:"job"`
	Definition string `json:"definition"`
	Passed     bool   `json:"passed"`
	// Reason says why it did not pass. Run is the run's id.
	Reason string `json:"reason"`
	Run    string `json:"run"`
	// At and Nonce are as in Record.
	At    time.Time `json:"at"`
	Nonce string    `json:"nonce"`
}

// Check returns an error for the first fault that prevents signing.
func (r Result) Check() error {
	var err error
	if r.V != Version {
		err = fmt.Errorf("result version %d; this program reads %d: update assent", r.V, Version)
	}
	for _, id := range []string{r.Workspace, r.Proposal, r.Workflow, r.Job, r.Definition, r.Run} {
		if !identifier().MatchString(id) {
			err = cmp.Or(err, fmt.Errorf("%q: want letters, digits and ._:- only, at most 128", id))
		}
	}
	if r.Head.IsZero() || r.Base.IsZero() || r.Tree.IsZero() {
		err = cmp.Or(err, errors.New("want head, base and tree"))
	}
	return cmp.Or(err, Record{Decision: Approve, Reason: r.Reason}.CheckReason(), canonical.CheckNonce(r.Nonce), canonical.CheckInstant(r.At))
}

// Encode returns the canonical bytes of r, which are signed.
func (r Result) Encode() ([]byte, error) { return canonical.Encode("", r) }

// SignResult encodes r and signs the bytes.
func SignResult(r Result, signer ssh.Signer) (out Signed, err error) {
	if out.Record, err = r.Encode(); err != nil {
		return Signed{}, err
	}
	if out.Signature, err = sign(out.Record, signer, ResultNamespace); err != nil {
		return Signed{}, fmt.Errorf("sign the result of a job: %w", err)
	}
	return out, nil
}

// RunSecret derives from a text what only the holder of a key can derive, the same each time. It
// returns the text itself for a key whose signatures are random (ECDSA).
func RunSecret(text string, signer ssh.Signer) (string, error) {
	if kind := signer.PublicKey().Type(); kind != ssh.KeyAlgoED25519 && kind != ssh.KeyAlgoRSA {
		return text, nil
	}
	signature, err := sign([]byte(text), signer, RunNamespace)
	if err != nil {
		return "", fmt.Errorf("derive the id of a run: %w", err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(signature)), nil
}

// VerifyResult checks the signature and decodes the result. It does not decide whether the key
// counts. After any error the result must not count.
func VerifyResult(s Signed) (Result, Fingerprint, error) {
	key, err := verify(s.Record, s.Signature, ResultNamespace)
	if err != nil {
		return Result{}, "", fmt.Errorf("signature of a result: %w", err)
	}
	r, err := canonical.Decode[Result]("result of a job", s.Record, MaxRecord)
	if err != nil {
		return Result{}, "", err
	}
	return r, key, nil
}
