package keys

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/assent-dev/assent/engine/format/review"
)

// BareKeys returns the files of this user's keys without a passphrase: those in the folder
// of keys, and the one that signs by default. A file that is no key is passed over.
func BareKeys(spec string) (map[review.Fingerprint]string, error) {
	out := map[review.Fingerprint]string{}
	dir, err := Path("")
	if err != nil {
		return out, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return out, fmt.Errorf("listing keys: %w", err)
	}
	files := []string{strings.TrimSuffix(spec, ".pub")}
	for _, e := range entries {
		files = append(files, filepath.Join(dir, e.Name()))
	}
	for _, file := range files {
		data, _, err := readKey(file)
		if err != nil || strings.HasSuffix(file, ".pub") {
			continue
		}
		if signer, bare, err := parse(data, nil); err == nil && bare {
			out[review.FingerprintOf(signer.PublicKey())] = file
		}
	}
	return out, nil
}
