package begin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
)

// writeNew writes files only below dir: links that lead out of it are not followed. It checks all
// of them before it writes the first.
func writeNew(dir string, edits []tree.Edit, dryRun bool) error {
	root, err := os.OpenRoot(dir + "/.") // a pipe by that name would block
	if err != nil {
		return console.Usage("open the folder: %v", err)
	}
	defer root.Close()
	for _, e := range edits {
		if _, err := root.Lstat(filepath.FromSlash(e.Path)); err == nil {
			return console.Refused("edit it, or choose another name", "%s is there already; nothing was written", e.Path)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("look for %s: %w", e.Path, err)
		}
	}
	if dryRun {
		return nil
	}
	for _, e := range edits {
		if err := writeOne(root, e); err != nil {
			return fmt.Errorf("write %s: %w", e.Path, err)
		}
	}
	return nil
}

// exists reports whether a file is below dir.
func exists(dir, file string) bool {
	_, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(file)))
	return err == nil
}

func writeOne(root *os.Root, e tree.Edit) error {
	if err := root.MkdirAll(filepath.FromSlash(path.Dir(e.Path)), 0o755); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if e.Mode == tree.Executable {
		mode = 0o755
	}
	f, err := root.OpenFile(filepath.FromSlash(e.Path), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(e.Content)
	return errors.Join(err, f.Close())
}
