package checkpoint

import (
	"bytes"
	"errors"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/format/review"
)

// A signed checkpoint is one text: the bytes of Encode, followed by their armored SSH
// signature. `ssh-keygen -Y verify` accepts the part before the line -----BEGIN.

const armor = "-----BEGIN SSH SIGNATURE-----\n"

// Sign encodes and signs a checkpoint.
func Sign(c Checkpoint, signer ssh.Signer) ([]byte, error) {
	data, err := c.Encode()
	if err != nil {
		return nil, err
	}
	sig, err := review.SignCheckpoint(data, signer)
	if err != nil {
		return nil, err
	}
	return append(data, sig...), nil
}

// Open verifies and reads the output of Sign. The fingerprint identifies the signing key;
// whether that key counts is not checked. After any error the checkpoint proves nothing.
func Open(text []byte) (Checkpoint, review.Fingerprint, error) {
	if len(text) > MaxSize {
		return Checkpoint{}, "", errors.New("it is larger than any checkpoint")
	}
	at := bytes.Index(text, []byte("\n"+armor))
	if at < 0 {
		return Checkpoint{}, "", errors.New("it holds no signature")
	}
	data, sig := text[:at+1], text[at+1:]
	key, err := review.VerifyCheckpoint(data, sig)
	if err != nil {
		return Checkpoint{}, "", err
	}
	c, err := Decode(data)
	if err != nil {
		return Checkpoint{}, "", err
	}
	return c, key, nil
}
