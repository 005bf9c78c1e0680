package keys

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// ReadOwn reads a user's file with a secret, of at most most bytes. The file must be outside
// the given folders, which belong to a repository, and its mode must give users outside its
// group no access.
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
		return nil, fmt.Errorf("examine the file: %w", err)
	case !info.Mode().IsRegular() || info.Size() > most:
		return nil, fmt.Errorf("%s is not a regular file of a few lines", file)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o007 != 0:
		return nil, fmt.Errorf("other users of this machine can access %s; chmod o-rwx it", file)
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
