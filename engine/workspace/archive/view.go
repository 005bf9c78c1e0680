package archive

import (
	"io/fs"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/git/gitstore"
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

// Damaged reports whether an error is about the content of one archived capability.
func Damaged(err error) bool { return gitstore.IsContent(err) }

// Readable returns the capabilities whose files can be read, and the others.
func (v View) Readable() (whole View, unread []*Unread) {
	for _, c := range v {
		if _, _, err := capability.Load(c.Before, c.Path); Damaged(err) {
			unread = append(unread, &Unread{c.Record, err})
			continue
		}
		whole = append(whole, c)
	}
	return whole, unread
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
