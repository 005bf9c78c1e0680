package scanner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/scan"
)

// Older has an earlier version of targets. Files returns nothing for a target
// that it does not have, which is new as a whole then.
type Older interface {
	Files(t *Target) ([]scan.File, error)
}

// olderFolder is an earlier version on the disk.
type olderFolder map[string]*Target

// OlderFolder compares with the folder or file at path, part by part.
func OlderFolder(ctx context.Context, path string) (Older, error) {
	found, err := Find(ctx, []string{path})
	if err != nil {
		return nil, err
	}
	out := olderFolder{}
	for _, t := range found {
		out[t.Below] = t
	}
	return out, nil
}

// Files implements Older. A capability that was inside another one before, or contains one now, is
// compared with that one.
func (o olderFolder) Files(t *Target) ([]scan.File, error) {
	was, ok := o[t.Below]
	if !ok {
		return nil, nil
	}
	files, found := was.read(scan.DefaultMaxAsset)
	if found.HasErrors() {
		return files, fmt.Errorf("%s", found[0])
	}
	return files, nil
}

// OlderTree compares with a tree of Git. dirOf returns the folder of a target in it; ok is false
// if it has none.
type OlderTree struct {
	View  tree.View
	DirOf func(t *Target) (dir string, ok bool)
}

// Files implements Older: it returns the older versions of the target's files, and everything that
// was below its folder.
func (o OlderTree) Files(t *Target) ([]scan.File, error) {
	dir, ok := o.DirOf(t)
	if !ok {
		return nil, nil
	}
	at, err := o.View.Lookup(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var files []scan.File
	add := func(e tree.Entry) error {
		f := scan.File{Path: unit + "/" + below(dir, e.Path), Mode: e.Mode}
		if e.Mode.IsFile() {
			var err error
			if f.Content, err = o.View.Read(e.Path); err != nil {
				return err
			}
		}
		files = append(files, f)
		return nil
	}
	if err == nil && at.Mode == tree.Dir {
		err = tree.Files(o.View, dir, add)
	} else if err == nil {
		err = add(at)
	}
	if err != nil {
		return nil, fmt.Errorf("read the older %s: %w", dir, err)
	}
	return files, nil
}

// below is a path of the tree seen from dir, which may be a file.
func below(dir, file string) string {
	if file == dir {
		return path.Base(file)
	}
	return strings.TrimPrefix(strings.TrimPrefix(file, dir), "/")
}
