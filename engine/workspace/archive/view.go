package archive

import (
	"io/fs"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
)

// View has the folders of archived capabilities, each from its own tree.
type View []Capability

// Folders lists them.
func (v View) Folders() (out []capability.Folder) {
	for _, c := range v {
		out = append(out, c.Folder)
	}
	return out
}

// At returns the capability in a folder, nil for none.
func (v View) At(path string) *Capability {
	for i := range v {
		if dir := v[i].Path; path == dir || strings.HasPrefix(path, dir+"/") {
			return &v[i]
		}
	}
	return nil
}

// Lookup implements tree.View.
func (v View) Lookup(path string) (tree.Entry, error) {
	if c := v.At(path); c != nil {
		return c.Before.Lookup(path) //nolint:wrapcheck // this view adds nothing
	}
	return tree.Entry{}, &fs.PathError{Op: "lookup", Path: path, Err: fs.ErrNotExist}
}

// List implements tree.View.
func (v View) List(dir string) ([]tree.Entry, error) {
	if c := v.At(dir); c != nil {
		return c.Before.List(dir) //nolint:wrapcheck // likewise
	}
	return nil, &fs.PathError{Op: "list", Path: dir, Err: fs.ErrNotExist}
}

// Read implements tree.View.
func (v View) Read(path string) ([]byte, error) {
	if c := v.At(path); c != nil {
		return c.Before.Read(path) //nolint:wrapcheck // likewise
	}
	return nil, &fs.PathError{Op: "read", Path: path, Err: fs.ErrNotExist}
}
