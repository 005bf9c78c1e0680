package serve

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/assent-dev/assent/engine/webhook"
)

// minSecret is the length of the shortest secret, in bytes, and maxSecrets that of
// the largest file.
const (
	minSecret  = 16
	maxSecrets = 64 << 10
)

// ErrSecret says what is wrong with a webhook secret.
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
		return nil, fmt.Errorf("%w: there is none in it", ErrSecret)
	}
	return out, nil
}

// ReadSecrets reads a file of secrets that is the operator's own: outside of the
// folders given, which belong to a repository, and readable for no stranger.
func ReadSecrets(file string, outside ...string) (webhook.Secrets, error) {
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSecret, err)
	}
	if real, err = filepath.Abs(real); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSecret, err)
	}
	for _, dir := range outside {
		if within(dir, real) {
			return nil, fmt.Errorf("%w: %s lies in the repository, where others can read and change it", ErrSecret, file)
		}
	}
	info, err := os.Stat(real)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrSecret, err)
	case !info.Mode().IsRegular() || info.Size() > maxSecrets:
		return nil, fmt.Errorf("%w: %s is no file with some lines", ErrSecret, file)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o007 != 0:
		return nil, fmt.Errorf("%w: everybody on this machine can use %s; chmod o-rwx it", ErrSecret, file)
	}
	text, err := os.ReadFile(real)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSecret, err)
	}
	secrets, err := ParseSecrets(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return secrets, nil
}

// within reports whether path, absolute and without links, is below dir.
func within(dir, path string) bool {
	real, err := filepath.EvalSymlinks(dir)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(real, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
