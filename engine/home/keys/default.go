package keys

import (
	"os"
	"path/filepath"
	"strings"
)

// DefaultName is the file name of the key that `init` makes.
const DefaultName = "id_ed25519"

// Path returns where a key of that name is kept: Home()/keys/<name>.
func Path(name string) (string, error) {
	home, err := Home()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, "keys", name), nil
}

// Default returns which key to use when none is named: $ASSENT_KEY, else the key
// that the user signs commits with, else the one that `init` makes. gitSigningKey
// is Git's user.signingkey when gpg.format is ssh, and empty otherwise; a literal
// key there ("key::…" or "ssh-…") is no file and is passed over.
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
