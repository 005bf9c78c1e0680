package serve

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/assent-dev/assent/engine/format/webhook"
	"github.com/assent-dev/assent/engine/home/keys"
)

// minSecret is the length of the shortest secret, in bytes, and maxSecrets that of
// the largest file.
const (
	minSecret  = 16
	maxSecrets = 64 << 10
)

// ErrSecret says that a webhook secret is invalid.
var ErrSecret = errors.New("no webhook secret")

// ParseSecrets reads secrets, one on each line; spaces around them do not count.
func ParseSecrets(text []byte) (webhook.Secrets, error) {
	var out webhook.Secrets
	for line := range bytes.Lines(text) {
		secret := bytes.TrimSpace(line)
		switch {
		case len(secret) == 0:
		case len(secret) < minSecret:
			return nil, fmt.Errorf("%w: one of %d characters is too easily guessed; make one with: openssl rand -hex 32", ErrSecret, len(secret))
		default:
			out = append(out, bytes.Clone(secret))
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%w: the file is empty", ErrSecret)
	}
	return out, nil
}

// ReadSecrets reads a file of secrets that is the operator's own: outside of the
// folders given, which belong to a repository, and readable for no stranger.
func ReadSecrets(file string, outside ...string) (webhook.Secrets, error) {
	text, err := keys.ReadOwn(file, maxSecrets, outside...)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSecret, err)
	}
	secrets, err := ParseSecrets(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return secrets, nil
}
