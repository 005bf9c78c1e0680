package checkpoint

import (
	"bytes"
	"errors"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/format/review"
)

// A signed checkpoint is one text: the bytes of Encode, and behind them the armored
// SSH signature over them. What stands before the line -----BEGIN can be handed to
// `ssh-keygen -Y verify`.

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

// Open checks the signature of what Sign wrote and reads it. The fingerprint says
// whose key made the signature, not whether that key counts. Any error means that
// the checkpoint is worth nothing.
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
