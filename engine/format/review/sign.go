package review

import (
	"bytes"
	"crypto/rsa"
	"encoding/pem"
	"errors"
	"fmt"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"
)

// The namespaces of signatures (PROTOCOL.sshsig). A signature for one purpose is not
// valid for another.
const (
	// Namespace is that of reviews.
	Namespace = "assent-review"
	// CheckpointNamespace is that of checkpoints (package checkpoint).
	CheckpointNamespace = "assent-checkpoint"
	// AttestationNamespace is that of the attestations of merges (package attest).
	AttestationNamespace = "assent-attestation"
	// StopNamespace is that of records that stop a capability (package stop).
	StopNamespace = "assent-stop"
	// AgainNamespace is that of statements about merges approved with a revoked key.
	AgainNamespace = "assent-again"
	// RunNamespace is that of secrets of runs, which are never stored.
	RunNamespace = "assent-run"
	// CommitNamespace is the one that Git uses for commits and tags.
	CommitNamespace = "git"
)

// minRSA is the smallest accepted RSA modulus in bits, the RequiredRSASize of OpenSSH in
// current distributions.
const minRSA = 2048

// Fingerprint identifies a public key as `ssh-keygen -l` does: "SHA256:…".
type Fingerprint string

// FingerprintOf returns the fingerprint of a public key.
func FingerprintOf(key ssh.PublicKey) Fingerprint { return Fingerprint(ssh.FingerprintSHA256(key)) }

// Signed is a record's canonical bytes with an armored SSH signature over them.
type Signed struct {
	Record    []byte `json:"record"`
	Signature []byte `json:"signature"`
}

// Sign encodes rec and signs the bytes.
func Sign(rec Record, signer ssh.Signer) (Signed, error) {
	data, err := rec.Encode()
	if err != nil {
		return Signed{}, err
	}
	sig, err := sign(data, signer, Namespace)
	if err != nil {
		return Signed{}, fmt.Errorf("signing a review: %w", err)
	}
	return Signed{Record: data, Signature: sig}, nil
}

// Verify checks the signature and decodes the record. The fingerprint identifies the
// signing key; whether that key counts is not checked. After any error the review must
// not count.
func Verify(s Signed) (Record, Fingerprint, error) {
	key, err := verify(s.Record, s.Signature, Namespace)
	if err != nil {
		return Record{}, "", fmt.Errorf("review signature: %w", err)
	}
	rec, err := Decode(s.Record)
	if err != nil {
		return Record{}, "", err
	}
	return rec, key, nil
}

// SignCommit returns the armored signature of a commit's or tag's payload (its
// bytes without the gpgsig header), as Git stores it with gpg.format=ssh.
func SignCommit(payload []byte, signer ssh.Signer) ([]byte, error) {
	sig, err := sign(payload, signer, CommitNamespace)
	if err != nil {
		return nil, fmt.Errorf("signing a commit: %w", err)
	}
	return sig, nil
}

// VerifyCommit checks a commit's armored signature over its payload and returns the
// signing key.
func VerifyCommit(payload, armored []byte) (Fingerprint, error) {
	key, err := verify(payload, armored, CommitNamespace)
	if err != nil {
		return "", fmt.Errorf("commit signature: %w", err)
	}
	return key, nil
}

// SignCheckpoint returns the armored signature of a checkpoint's bytes.
func SignCheckpoint(data []byte, signer ssh.Signer) ([]byte, error) {
	sig, err := sign(data, signer, CheckpointNamespace)
	if err != nil {
		return nil, fmt.Errorf("signing a checkpoint: %w", err)
	}
	return sig, nil
}

// VerifyCheckpoint checks the armored signature of a checkpoint's bytes and returns the
// signing key.
func VerifyCheckpoint(data, armored []byte) (Fingerprint, error) {
	key, err := verify(data, armored, CheckpointNamespace)
	if err != nil {
		return "", fmt.Errorf("checkpoint signature: %w", err)
	}
	return key, nil
}

// SignAttestation returns the armored signature of an attestation's bytes.
func SignAttestation(data []byte, signer ssh.Signer) ([]byte, error) {
	sig, err := sign(data, signer, AttestationNamespace)
	if err != nil {
		return nil, fmt.Errorf("signing an attestation: %w", err)
	}
	return sig, nil
}

// VerifyAttestation checks the armored signature of an attestation's bytes and returns
// the signing key.
func VerifyAttestation(data, armored []byte) (Fingerprint, error) {
	key, err := verify(data, armored, AttestationNamespace)
	if err != nil {
		return "", fmt.Errorf("attestation signature: %w", err)
	}
	return key, nil
}

// SignStop returns the armored signature of a stop record's bytes.
func SignStop(data []byte, signer ssh.Signer) ([]byte, error) {
	sig, err := sign(data, signer, StopNamespace)
	if err != nil {
		return nil, fmt.Errorf("signing a stop: %w", err)
	}
	return sig, nil
}

// VerifyStop checks the armored signature of a stop record's bytes and returns the
// signing key.
func VerifyStop(data, armored []byte) (Fingerprint, error) {
	key, err := verify(data, armored, StopNamespace)
	if err != nil {
		return "", fmt.Errorf("stop signature: %w", err)
	}
	return key, nil
}

func sign(data []byte, signer ssh.Signer, namespace string) ([]byte, error) {
	if err := CheckKey(signer.PublicKey()); err != nil {
		return nil, err
	}
	sig, err := sshsig.Sign(bytes.NewReader(data), signer, sshsig.HashSHA512, namespace)
	if err != nil {
		return nil, err
	}
	return sshsig.Armor(sig), nil
}

// verify uses the hash that the signature names. The library accepts only SHA-256 and
// SHA-512, the ones that ssh-keygen can make.
func verify(data, armored []byte, namespace string) (Fingerprint, error) {
	block, rest := pem.Decode(armored)
	if block == nil || len(bytes.TrimSpace(rest)) > 0 || !bytes.HasPrefix(armored, []byte("-----BEGIN")) {
		return "", errors.New("want exactly one armored SSH signature")
	}
	sig, err := sshsig.Unarmor(armored)
	if err != nil {
		return "", err
	}
	if err := CheckKey(sig.PublicKey); err != nil {
		return "", err
	}
	//defence:signature-checked
	if err := sshsig.Verify(bytes.NewReader(data), sig, sig.PublicKey, sig.HashAlgorithm, namespace); err != nil {
		return "", err
	}
	return FingerprintOf(sig.PublicKey), nil
}

// CheckKey refuses keys that are too weak to identify a person: DSA, RSA below 2048 bits,
// and certificates (a certificate's fingerprint is not its key's).
func CheckKey(key ssh.PublicKey) error {
	if _, isCert := key.(*ssh.Certificate); isCert {
		return errors.New("an SSH certificate: use the plain key")
	}
	if key.Type() == ssh.InsecureKeyAlgoDSA { //nolint:staticcheck // named in order to refuse it
		return errors.New("a DSA key: make an Ed25519 one")
	}
	crypto, ok := key.(ssh.CryptoPublicKey)
	if !ok {
		return nil // hardware-backed kinds hide their parameters; none of them is RSA
	}
	if k, isRSA := crypto.CryptoPublicKey().(*rsa.PublicKey); isRSA && k.N.BitLen() < minRSA {
		return fmt.Errorf("an RSA key of %d bits: at least %d are needed, better make an Ed25519 key", k.N.BitLen(), minRSA)
	}
	return nil
}
