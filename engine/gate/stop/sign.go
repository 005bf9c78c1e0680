package stop

import (
	"fmt"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/format/review"
)

// Signed is a record as it is stored: its bytes, the signature over them, and its id.
type Signed struct {
	ID        string
	Record    []byte
	Signature []byte
}

// Sign encodes and signs a record.
func Sign(r Record, signer ssh.Signer) (Signed, error) {
	data, err := r.Encode()
	if err != nil {
		return Signed{}, err
	}
	sig, err := review.SignStop(data, signer)
	if err != nil {
		return Signed{}, fmt.Errorf("sign a stop: %w", err)
	}
	return Signed{ID: IDOf(data), Record: data, Signature: sig}, nil
}

// Open checks id, form and signature, and returns whose key signed. Whether that key counts
// is for Judge.
func Open(s Signed) (Record, review.Fingerprint, error) {
	if len(s.Record) > MaxRecord || IDOf(s.Record) != s.ID {
		return Record{}, "", fmt.Errorf("stop %s: its name is not that of its content", s.ID)
	}
	r, err := Decode(s.Record)
	if err != nil {
		return r, "", err
	}
	key, err := review.VerifyStop(s.Record, s.Signature)
	if err != nil {
		return r, "", fmt.Errorf("stop %s: %w", s.ID, err)
	}
	return r, key, nil
}
