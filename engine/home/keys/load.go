package keys

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/review"
)

// Errors that callers distinguish with errors.Is.
var (
	// ErrMissing is returned if there is no key at the path.
	ErrMissing = errors.New("no key there; make one with `assent keys new`, or name another in ASSENT_KEY")
	// ErrNotKey is returned for a file that is not an SSH key.
	ErrNotKey = errors.New("not an SSH key")
	// ErrPassphrase is returned if the passphrase is wrong or was not given.
	ErrPassphrase = errors.New("the passphrase is missing or wrong")
	// ErrAgent is returned if the SSH agent is unreachable or lacks the key.
	ErrAgent = errors.New("the SSH agent cannot sign with this key")
)

// AgentSpec is the key argument for the SSH agent's only key.
const AgentSpec = "agent"

// maxKeyFile bounds the size of a key file.
const maxKeyFile = 64 << 10

// Signer is a key that can sign, and its source.
type Signer struct {
	ssh.Signer
	// Source is the file, or "agent" and the key's comment.
	Source string
	// Warnings are messages for the user, about permissions that are too open.
	Warnings []string
	// Bare is set for a file without a passphrase, with which every program of the user can
	// sign.
	Bare  bool
	close func() error
}

// Fingerprint returns the key's fingerprint: SHA256:….
func (s *Signer) Fingerprint() review.Fingerprint { return review.FingerprintOf(s.PublicKey()) }

// AuthorizedKey returns the public key as one line without a final newline.
func (s *Signer) AuthorizedKey() string {
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(s.PublicKey())))
}

// Close ends the connection to an agent. The signer cannot be used afterwards.
func (s *Signer) Close() error {
	if s.close == nil {
		return nil
	}
	return s.close()
}

// Passphrase asks the user for the passphrase of an encrypted key.
type Passphrase func() ([]byte, error)

// Load returns the key that spec names: a private key file, or a public key file whose private
// half is in the SSH agent or, as for Git, beside it without ".pub", or "agent" for the agent's
// only key. ask is called for encrypted keys only; nil means that the user cannot be asked.
func Load(spec string, ask Passphrase) (*Signer, error) {
	if spec == AgentSpec {
		return fromAgent(nil)
	}
	data, warnings, err := readKey(spec)
	if err != nil {
		return nil, err
	}
	if public, _, _, _, err := ssh.ParseAuthorizedKey(data); err == nil {
		return privateHalf(spec, public, ask)
	}
	signer, bare, err := parse(data, ask)
	if err != nil {
		return nil, fmt.Errorf("reading the key %s: %w", spec, err)
	}
	if err := review.CheckKey(signer.PublicKey()); err != nil {
		return nil, fmt.Errorf("the key %s cannot be used: %w", spec, err)
	}
	return &Signer{Signer: signer, Source: spec, Warnings: warnings, Bare: bare}, nil
}

// privateHalf returns the signer of the public key in file.
func privateHalf(file string, public ssh.PublicKey, ask Passphrase) (*Signer, error) {
	s, agentErr := fromAgent(public)
	private, named := strings.CutSuffix(file, ".pub")
	if agentErr == nil {
		return s, nil
	}
	if !named {
		return nil, fmt.Errorf("%s is a public key: %w", file, agentErr)
	}
	s, err := Load(private, ask)
	if errors.Is(err, ErrMissing) {
		return nil, fmt.Errorf("%s is a public key, its private half is not at %s, and the SSH agent lacks it: %w", file, private, agentErr)
	}
	if err == nil && !bytes.Equal(s.PublicKey().Marshal(), public.Marshal()) {
		return nil, errors.Join(fmt.Errorf("%s is not the private half of %s: %w", private, file, ErrNotKey), s.Close())
	}
	return s, err
}

// otherKey returns the first key in the folder of a missing one, or "".
func otherKey(path string) string {
	public, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*.pub"))
	if err != nil {
		return ""
	}
	for _, file := range public {
		private := strings.TrimSuffix(file, ".pub")
		if info, err := os.Stat(private); err == nil && info.Mode().IsRegular() {
			return private
		}
	}
	return ""
}

// Advice says what to do if there is no key at path.
func Advice(path string) string {
	if other := otherKey(path); other != "" {
		return "name the one that you have, in ASSENT_KEY: " + names.ForShell(other)
	}
	return "make one: assent keys new"
}

// readKey reads a key file and returns warnings about its permissions. Callers ignore them for
// public keys, which every user may read.
func readKey(path string) ([]byte, []string, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if other := otherKey(path); other != "" {
			return nil, nil, fmt.Errorf("%s: %w, such as %s", path, ErrMissing, other)
		}
		return nil, nil, fmt.Errorf("%s: %w", path, ErrMissing)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading a key: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxKeyFile {
		return nil, nil, fmt.Errorf("%s: %w", path, ErrNotKey)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, fmt.Errorf("reading a key: %w", err)
	}
	var warnings []string
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		warnings = append(warnings, fmt.Sprintf("others can read the key %s (mode %04o): chmod 600 it", path, info.Mode().Perm()))
	}
	return data, warnings, nil
}

func parse(data []byte, ask Passphrase) (signer ssh.Signer, bare bool, err error) {
	signer, err = ssh.ParsePrivateKey(data)
	if err == nil {
		return signer, true, nil
	}
	if _, encrypted := errors.AsType[*ssh.PassphraseMissingError](err); !encrypted {
		return nil, false, fmt.Errorf("%w: %w", ErrNotKey, err)
	}
	if ask == nil {
		return nil, false, fmt.Errorf("the key is encrypted: %w", ErrPassphrase)
	}
	passphrase, err := ask()
	if err != nil {
		return nil, false, fmt.Errorf("asking for the passphrase: %w", err)
	}
	signer, err = ssh.ParsePrivateKeyWithPassphrase(data, passphrase)
	clear(passphrase)
	if err != nil {
		return nil, false, fmt.Errorf("%w: %w", ErrPassphrase, err)
	}
	return signer, false, nil
}

// Public returns the public key of spec without asking for a passphrase: of a .pub file, of the
// .pub file beside a private key, of an unencrypted key, or of the SSH agent's only key.
func Public(spec string) (ssh.PublicKey, error) {
	if spec == AgentSpec {
		s, err := fromAgent(nil)
		if err != nil {
			return nil, err
		}
		return s.PublicKey(), s.Close()
	}
	for _, path := range []string{spec + ".pub", spec} {
		data, _, err := readKey(path)
		if errors.Is(err, ErrMissing) && path != spec {
			continue
		}
		if err != nil {
			return nil, err
		}
		if public, _, _, _, err := ssh.ParseAuthorizedKey(data); err == nil {
			return public, nil
		}
		if path == spec {
			signer, _, err := parse(data, nil)
			if err != nil {
				return nil, fmt.Errorf("reading the key %s: %w", spec, err)
			}
			return signer.PublicKey(), nil
		}
	}
	return nil, fmt.Errorf("%s: %w", spec, ErrMissing)
}
