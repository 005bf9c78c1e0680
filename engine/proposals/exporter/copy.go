package exporter

import (
	"context"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/workspace"
)

// Copy is a capability's folder as it is to be written.
type Copy struct {
	Name string
	// Commit that the files are taken from.
	Commit tree.Hash
	Files  []File
	// LeftOut are the files that the import did not store, with paths in the folder.
	LeftOut []string
}

// File is one file; Path is relative to the capability's folder.
type File struct {
	Path    string
	Mode    tree.Mode
	Content []byte
}

// InForce copies a capability as it is in force. One that a human stopped is refused.
func InForce(ctx context.Context, cur workspace.Session, f capability.Folder) (Copy, error) {
	view, err := cur.Handout(ctx, cur.View)
	if err != nil {
		return Copy{}, err
	}
	files, err := filesAt(view, f.Path)
	return Copy{Name: f.Name, Commit: cur.InForce, Files: files}, err
}

// filesAt reads the files below dir. Anything but a regular file cannot be in force, and is not
// taken from a branch either.
func filesAt(view tree.View, dir string) ([]File, error) {
	var out []File
	err := tree.Files(view, dir, func(e tree.Entry) error {
		if !e.Mode.IsFile() {
			return nil
		}
		content, err := view.Read(e.Path)
		if err == nil {
			out = append(out, File{Path: strings.TrimPrefix(e.Path, dir+"/"), Mode: e.Mode, Content: content})
		}
		return err
	})
	return out, err
}
