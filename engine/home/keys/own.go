package keys

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// ReadOwn reads a file with a secret that is the user's own, of at most most bytes:
// outside of the folders given, which belong to a repository, and readable for no
// stranger.
func ReadOwn(file string, most int64, outside ...string) ([]byte, error) {
	real, err := filepath.EvalSymlinks(file)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return nil, fmt.Errorf("find the file: %w", err)
	}
	for _, dir := range outside {
		if within(dir, real) {
			return nil, fmt.Errorf("%s lies in the repository, where others can read and change it", file)
		}
	}
	info, err := os.Stat(real)
	switch {
	case err != nil:
		return nil, fmt.Errorf("look at the file: %w", err)
	case !info.Mode().IsRegular() || info.Size() > most:
		return nil, fmt.Errorf("%s is no file with some lines", file)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o007 != 0:
		return nil, fmt.Errorf("everybody on this machine can use %s; chmod o-rwx it", file)
	}
	text, err := os.ReadFile(real)
	if err != nil {
		return nil, fmt.Errorf("read the file: %w", err)
	}
	return text, nil
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
