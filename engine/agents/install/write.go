package install

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Write makes an edit, whole or not at all. The file must be as it was when the edit was planned.
func (e Edit) Write() error {
	now, err := read(e.Dir, e.Name)
	if err != nil {
		return err
	}
	if (Edit{Before: now, After: e.Before}).Changes() {
		return &Refused{Path: e.Path(), Err: errors.New("it was changed meanwhile"), Fix: "do it again"}
	}
	root, err := os.OpenRoot(e.Dir)
	if err != nil {
		return fmt.Errorf("open the folder of the settings: %w", err)
	}
	defer root.Close()
	name := filepath.FromSlash(e.Name)
	if e.After == nil {
		if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove %s: %w", e.Path(), err)
		}
		return nil
	}
	mode := fs.FileMode(0o600)
	if info, err := root.Lstat(name); err == nil {
		mode = info.Mode().Perm()
	}
	if dir := path.Dir(e.Name); dir != "." {
		if err := root.MkdirAll(filepath.FromSlash(dir), 0o700); err != nil {
			return fmt.Errorf("make the folder of %s: %w", e.Path(), err)
		}
	}
	return replace(root, name, e.Path(), e.After, mode)
}

// Writable tries to write beside the file, so that none of several edits is made if one cannot be.
func (e Edit) Writable() error {
	root, err := os.OpenRoot(e.Dir)
	if err != nil {
		return fmt.Errorf("open the folder of the settings: %w", err)
	}
	defer root.Close()
	dir := path.Dir(e.Name)
	for _, err = root.Lstat(filepath.FromSlash(dir)); errors.Is(err, fs.ErrNotExist); _, err = root.Lstat(filepath.FromSlash(dir)) {
		dir = path.Dir(dir)
	}
	if err := free(root, filepath.Join(filepath.FromSlash(dir), ".assent-"+rand.Text())); err != nil {
		return fmt.Errorf("write %s: %w", e.Path(), err)
	}
	return nil
}

// Free makes a file, which must not exist, and removes it: the lock of another program can be taken then.
func Free(file string) error {
	root, err := os.OpenRoot(filepath.Dir(file))
	if err != nil {
		return fmt.Errorf("open the folder of the lock: %w", err)
	}
	defer root.Close()
	return free(root, filepath.Base(file))
}

func free(root *os.Root, name string) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err //nolint:wrapcheck // it names the file
	}
	return errors.Join(f.Close(), root.Remove(name))
}

func replace(root *os.Root, name, shown string, data []byte, mode fs.FileMode) error {
	temp := filepath.Join(filepath.Dir(name), ".assent-"+rand.Text())
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return fmt.Errorf("write %s: %w", shown, err)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err == nil {
		err = root.Rename(temp, name)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", shown, errors.Join(err, root.Remove(temp)))
	}
	return nil
}
