package keys

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/home"
)

// ErrExists is returned if a key exists at the path of a new one. Keys are never overwritten.
var ErrExists = errors.New("a key exists already")

// Generate creates an Ed25519 key and writes it to path in OpenSSH's format, with the public
// key in path.pub. A passphrase encrypts the private key; nil leaves it unencrypted. Missing
// folders are created, private to the user. If either file exists, the error is ErrExists and
// nothing is overwritten. When Generate returns nil, the files are on the disk.
func Generate(path, comment string, passphrase []byte) (ssh.PublicKey, error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	comment = strings.Join(strings.Fields(comment), " ")
	var block *pem.Block
	if len(passphrase) > 0 {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(private, comment, passphrase)
	} else {
		block, err = ssh.MarshalPrivateKey(private, comment)
	}
	if err != nil {
		return nil, fmt.Errorf("encoding a key: %w", err)
	}
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		return nil, fmt.Errorf("encoding a key: %w", err)
	}
	line := strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)) + " " + comment)
	line = strings.Replace(line, "\n", "", 1) + "\n"
	// The private key is written second: a public key alone is harmless, a private key without
	// its public half confuses ssh.
	dir, name := home.At(filepath.Dir(path)), filepath.Base(path)
	if err := writeNew(dir, name+".pub", []byte(line), 0o644); err != nil {
		return nil, err
	}
	if err := writeNew(dir, name, pem.EncodeToMemory(block), 0o600); err != nil {
		return nil, errors.Join(err, dir.Remove(name+".pub"))
	}
	return key, nil
}

func writeNew(dir home.Store, name string, data []byte, mode fs.FileMode) error {
	err := dir.Create(name, data, mode)
	if errors.Is(err, fs.ErrExist) {
		err = ErrExists
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", dir.Path(name), err)
	}
	return nil
}
