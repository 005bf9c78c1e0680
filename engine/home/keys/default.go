package keys

import (
	"os"
	"path/filepath"
	"strings"
)

// DefaultName is the file name of the key that `init` creates.
const DefaultName = "id_ed25519"

// Path returns the path of the key with that name: Home()/keys/<name>.
func Path(name string) (string, error) {
	home, err := Home()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, "keys", name), nil
}

// Default returns the key to use if none is named: $ASSENT_KEY, else the key that signs the
// user's commits, else the one that `init` creates. gitSigningKey is Git's user.signingkey if
// gpg.format is ssh, and empty otherwise. A literal key there ("key::…" or "ssh-…") is ignored.
func Default(gitSigningKey string) (string, error) {
	if spec := os.Getenv("ASSENT_KEY"); spec != "" {
		return spec, nil
	}
	if path := gitSigningKey; path != "" && !strings.HasPrefix(path, "key::") && !strings.HasPrefix(path, "ssh-") {
		return expand(path), nil
	}
	return Path(DefaultName)
}

// expand resolves a leading ~/ as Git does.
func expand(path string) string {
	rest, ok := strings.CutPrefix(path, "~/")
	if !ok {
		return path
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	return filepath.Join(home, rest)
}
