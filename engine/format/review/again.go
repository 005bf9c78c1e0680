package review

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/base/tree"
)

// Again is a human's statement about a merge in force that was approved with a key no
// longer trusted. It changes no verdict: `assent keys audit` counts it.
type Again struct {
	// V is the format's version; see Version.
	V int `json:"v"`
	// Workspace is the workspace's id, Proposal the merged proposal, Commit its merge.
	Workspace string    `json:"workspace"`
	Proposal  string    `json:"proposal"`
	Commit    tree.Hash `json:"commit"`
	// Key is the key whose signatures do not count.
	Key Fingerprint `json:"key"`
	// Decision is Approve or Except. Approve approves the content without Key; Except
	// keeps the merge in force without such an approval.
	Decision Decision `json:"decision"`
	// Reason is as in Record; an exception needs one.
	Reason string `json:"reason"`
	// At and Nonce are as in Record.
	At    time.Time `json:"at"`
	Nonce string    `json:"nonce"`
}

// Except is a decision in Again only.
const Except Decision = "except"

// Check returns an error for the first fault that prevents signing.
func (a Again) Check() error {
	var err error
	switch {
	case a.V != Version:
		err = fmt.Errorf("statement version %d; this program reads %d: update assent", a.V, Version)
	case !identifier().MatchString(a.Workspace) || !identifier().MatchString(a.Proposal) || a.Commit.IsZero():
		err = errors.New("want workspace, proposal and merge commit")
	case !strings.HasPrefix(string(a.Key), "SHA256:"):
		err = errors.New("key: want a fingerprint")
	case !slices.Contains([]Decision{Approve, Except}, a.Decision):
		err = fmt.Errorf("decision %q: want approve or except", a.Decision)
	case a.Decision == Except && strings.TrimSpace(a.Reason) == "":
		err = errors.New("reason: an exception needs one")
	}
	return cmp.Or(err, Record{Decision: Approve, Reason: a.Reason}.CheckReason(), canonical.CheckNonce(a.Nonce), canonical.CheckInstant(a.At))
}

// Encode returns the canonical bytes of a, which are signed.
func (a Again) Encode() ([]byte, error) { return canonical.Encode("", a) }

// SignAgain returns a as text: a line for people, an empty line, the record and its
// signature. It is stored as a comment on the proposal, which every forge and every
// version keeps.
func SignAgain(a Again, title string, signer ssh.Signer) (string, error) {
	data, err := a.Encode()
	if err != nil {
		return "", err
	}
	sig, err := sign(data, signer, AgainNamespace)
	if err != nil {
		return "", fmt.Errorf("sign a statement: %w", err)
	}
	return title + "\n\n" + string(data) + string(sig), nil
}

// OpenAgain reads the output of SignAgain and returns the signing key. It does not decide
// whether that key counts.
func OpenAgain(text string) (Again, Fingerprint, error) {
	_, rest, _ := strings.Cut(text, "\n\n")
	at := strings.Index(rest, "-----BEGIN")
	if at < 0 || at > MaxRecord {
		return Again{}, "", errors.New("it is not a signed statement")
	}
	data := []byte(rest[:at])
	a, err := canonical.Decode[Again]("statement", data, MaxRecord)
	if err != nil {
		return a, "", err
	}
	key, err := verify(data, append(bytes.TrimSpace([]byte(rest[at:])), '\n'), AgainNamespace)
	if err != nil {
		return a, "", fmt.Errorf("statement signature: %w", err)
	}
	return a, key, nil
}
