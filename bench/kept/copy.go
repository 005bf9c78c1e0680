package kept

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Copy returns a workspace that may be changed, in the empty folder dir, which
// should be below Store.Dir.
func (s Store) Copy(ctx context.Context, spec Spec, dir string) (Workspace, error) {
	from, err := s.Get(ctx, spec)
	if err != nil {
		return Workspace{}, err
	}
	to := within(spec, dir)
	for _, pair := range [][2]string{{from.Repo, to.Repo}, {from.Home, to.Home}} {
		if err := copyFolder(pair[0], pair[1]); err != nil {
			return to, fmt.Errorf("copying a workspace: %w", err)
		}
	}
	return to, nil
}

// copyFolder copies files, but for packs, which nobody ever writes to again: they
// are linked.
func copyFolder(from, to string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(to, strings.TrimPrefix(path, from))
		if e.IsDir() {
			return os.MkdirAll(target, 0o777)
		}
		if filepath.Base(filepath.Dir(path)) == "pack" && os.Link(path, target) == nil {
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, info.Mode().Perm())
	})
}

// Temp makes an empty folder below Dir, and a function that removes it.
func (s Store) Temp() (dir string, remove func(), err error) {
	if err := os.MkdirAll(s.Dir, 0o777); err != nil {
		return "", nil, err
	}
	dir, err = os.MkdirTemp(s.Dir, scratch)
	return dir, func() { _ = os.RemoveAll(dir) }, err
}

// scratch begins the names of folders that Temp made.
const scratch = "run-"

// Size is how many bytes all that is kept takes.
func (s Store) Size() (int64, error) {
	var sum int64
	err := filepath.WalkDir(s.Dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && strings.HasPrefix(e.Name(), scratch) {
			return fs.SkipDir
		}
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			sum += info.Size()
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return sum, err
}

// Clean removes everything.
func (s Store) Clean() error { return os.RemoveAll(s.Dir) }
