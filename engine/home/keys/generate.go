package keys

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/crypto/ssh"
)

// ErrExists says that a key stands where a new one was to be written. Keys are
// never overwritten.
var ErrExists = errors.New("a key is there already")

// Generate makes an Ed25519 key and writes it to path in OpenSSH's format, with
// the public key beside it in path.pub. A passphrase encrypts the private key;
// nil leaves it unencrypted. Missing folders are made, private to the user.
// Nothing is overwritten: if either file exists, the error is ErrExists. What was
// returned is on the disk.
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
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, privateDir); err != nil {
		return nil, fmt.Errorf("making a folder for keys: %w", err)
	}
	line := strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)) + " " + comment)
	line = strings.Replace(line, "\n", "", 1) + "\n"
	// The private key comes second: a public key alone is harmless, a private one
	// whose public half is missing confuses ssh.
	if err := writeNew(path+".pub", []byte(line), 0o644); err != nil {
		return nil, err
	}
	if err := writeNew(path, pem.EncodeToMemory(block), privateFile); err != nil {
		if rm := os.Remove(path + ".pub"); rm != nil {
			err = errors.Join(err, rm)
		}
		return nil, err
	}
	return key, syncDir(dir)
}

// writeNew creates a file that must not exist and syncs it.
func writeNew(path string, data []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("writing %s: %w", path, ErrExists)
	}
	if err != nil {
		return fmt.Errorf("writing a key: %w", err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, errors.Join(err, os.Remove(path)))
	}
	return nil
}
