package keys

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"runtime"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/base/names"
)

// SecretVariable returns the name of the environment variable with a secret.
func SecretVariable(name string) string { return "ASSENT_SECRET_" + name }

var secretName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,63}$`) })

// maxSecret is the largest secret, in bytes.
const maxSecret = 64 << 10

// Secret returns a secret that the user configured for capabilities: the value of
// SecretVariable(name), else the content of secrets/<name> in the user's own folder without its
// final line break. ok is false if there is neither. A file that other users can read is an
// error.
func Secret(name string, getenv func(string) string) (value string, ok bool, err error) {
	if !secretName().MatchString(name) {
		return "", false, fmt.Errorf("%q is not a valid name of a secret", name)
	}
	if v := getenv(SecretVariable(name)); v != "" {
		return v, true, nil
	}
	own, err := store()
	if err != nil {
		return "", false, err
	}
	file := "secrets/" + name
	info, err := own.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", false, nil
	case err != nil:
		return "", false, fmt.Errorf("looking for the secret %s: %w", name, err)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return "", false, fmt.Errorf("others can read the secret %s: chmod 600 %s", name, names.ShellWord(own.Path(file)))
	}
	data, err := own.Read(file, maxSecret)
	if err != nil {
		return "", false, fmt.Errorf("reading the secret %s: %w", name, err)
	}
	return strings.TrimRight(string(data), "\r\n"), true, nil
}
