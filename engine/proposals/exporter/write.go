package exporter

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"github.com/assent-dev/assent/engine/base/tree"
)

// ErrMeanwhile says that a file was changed after it was compared. It was not touched.
var ErrMeanwhile = errors.New("it was changed meanwhile; export again")

// staged is the file in which the new content of another one is written first.
const staged = ".assent-export"

// Write executes the plan in dir/NAME: it removes old files, and writes new and updated ones. It
// stops at a file that appeared or was edited since Compare; a second run continues.
func (p Plan) Write(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the folder to export to: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("open the folder to export to: %w", err)
	}
	defer root.Close()
	steps := []struct {
		found Found
		do    func(root *os.Root, name string, i Item) error
	}{
		{Left, remove},
		{Older, func(root *os.Root, name string, i Item) error { return replace(root, p.Name, name, i) }},
		{New, func(root *os.Root, name string, i Item) error { return create(root, name, i.File) }},
	}
	for _, step := range steps {
		for _, i := range p.Items {
			if i.Found != step.found {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			name := path.Join(p.Name, i.Path)
			if err := step.do(root, name, i); err != nil {
				return fmt.Errorf("export %s: %w", name, err)
			}
		}
	}
	return nil
}

// unchanged asks whether a file is still the one that was compared.
func unchanged(root *os.Root, name string, i Item) error {
	disk, err := content(root, name)
	if err == nil && disk != i.disk {
		return ErrMeanwhile
	}
	return err
}

// remove takes a file away, and the folders that are empty without it.
func remove(root *os.Root, name string, i Item) error {
	if err := unchanged(root, name, i); err != nil {
		return err
	}
	if err := root.Remove(name); err != nil {
		return err
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if root.Remove(dir) != nil { // there is more in it
			break
		}
	}
	return nil
}

// replace replaces the content of a file atomically, so that no reader sees half of it.
func replace(root *os.Root, folder, name string, i Item) error {
	if err := unchanged(root, name, i); err != nil {
		return err
	}
	fresh := path.Join(folder, staged)
	if err := root.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) { // from an export that was killed
		return err
	}
	if err := create(root, fresh, i.File); err != nil {
		return err
	}
	return root.Rename(fresh, name)
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
