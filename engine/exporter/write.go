package exporter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"github.com/assent-dev/assent/engine/tree"
)

// Found is how a file stands to what is on the disk.
type Found string

// How a file can stand.
const (
	New     Found = "new"
	Same    Found = "same"
	Differs Found = "differs" // another content
	InWay   Found = "in_way"  // a link, a folder or something else stands there, or a file where a folder must be
)

// Blocked reports whether the file cannot be written.
func (f Found) Blocked() bool { return f == Differs || f == InWay }

// Compare says for each file of c what stands at dir/NAME/<file>, in the order of
// c.Files. It writes nothing; a dir that is not there is empty.
func Compare(dir string, c Copy) ([]Found, error) {
	out := make([]Found, len(c.Files))
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		for i := range out {
			out[i] = New
		}
		return out, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look at %s: %w", dir, err)
	}
	defer root.Close()
	for i, f := range c.Files {
		if out[i], err = look(root, path.Join(c.Name, f.Path), f); err != nil {
			return nil, fmt.Errorf("look at %s in %s: %w", path.Join(c.Name, f.Path), dir, err)
		}
	}
	return out, nil
}

// look compares one file; every folder above it must be a folder, not a link.
func look(root *os.Root, name string, f File) (Found, error) {
	for i := range name {
		if name[i] != '/' {
			continue
		}
		info, err := root.Lstat(name[:i])
		if errors.Is(err, fs.ErrNotExist) {
			return New, nil
		}
		if err != nil {
			return "", err
		}
		if !info.IsDir() {
			return InWay, nil
		}
	}
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return New, nil
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return InWay, nil
	case info.Size() != int64(len(f.Content)):
		return Differs, nil
	}
	have, err := root.ReadFile(name)
	if err != nil || bytes.Equal(have, f.Content) {
		return Same, err
	}
	return Differs, nil
}

// Write writes the files of c that are new, into dir/NAME, and makes the folders
// that are missing. It stops at a file that has come to stand there meanwhile.
func Write(ctx context.Context, dir string, c Copy, found []Found) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the folder to export to: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("open the folder to export to: %w", err)
	}
	defer root.Close()
	for i, f := range c.Files {
		if found[i] != New {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := create(root, path.Join(c.Name, f.Path), f); err != nil {
			return fmt.Errorf("export %s: %w", path.Join(c.Name, f.Path), err)
		}
	}
	return nil
}

// create writes one file that must not be there. One that cannot be written whole
// is removed again.
func create(root *os.Root, name string, f File) error {
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if f.Mode == tree.Executable {
		mode = 0o755
	}
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(f.Content)
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, root.Remove(name))
	}
	return nil
}
