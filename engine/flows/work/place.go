package work

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tempdir"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/proposals/folder"
)

// Dir is the folder, in that of the command, with the task and the result.
const Dir = ".task"

// The bounds of the files that a command finds, and of those that are read afterwards.
const (
	maxFiles = 20_000
	maxBytes = 256 << 20
)

// place is a folder with the files of a tree, which a command may change.
type place struct {
	dir  string
	view tree.View
}

// laid reports whether a file of the tree is in the folder of a task. Others can push any file
// into the tree, so the folder has only what is governed. It has nothing that a client which starts
// in it, or in a folder below, takes for its settings or instructions; names that file
// systems read differently could be such files too.
func laid(e tree.Entry) bool {
	is := e.Mode.IsFile()
	//defence:tasks-hold-no-client-files
	is = is && names.Governed(e.Path) && names.IsPath(e.Path) && !names.ClientFile(e.Path)
	return is
}

// lay writes the files of a tree that are laid into a new folder, which no other user can enter.
func lay(v tree.View) (place, error) {
	dir, err := tempdir.Make("task")
	if err != nil {
		return place{}, fmt.Errorf("make a folder for a task: %w", err)
	}
	p := place{dir, v}
	root, err := os.OpenRoot(dir)
	if err == nil {
		defer root.Close()
		files, total := 0, 0
		err = tree.Files(v, "", func(e tree.Entry) error {
			if !laid(e) {
				return nil
			}
			data, err := v.Read(e.Path)
			if err != nil {
				return err
			}
			files, total = files+1, total+len(data)
			if files > maxFiles || total > maxBytes {
				return fmt.Errorf("the workspace has more than %d files or %d MiB", maxFiles, maxBytes>>20)
			}
			return write(root, e.Path, data, e.Mode == tree.Executable)
		})
	}
	if err != nil {
		return p, errors.Join(fmt.Errorf("lay down the files of a task: %w", err), p.remove())
	}
	return p, nil
}

func write(root *os.Root, name string, data []byte, executable bool) error {
	mode := fs.FileMode(0o600)
	if executable {
		mode = 0o700
	}
	if err := root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return err
	}
	return root.WriteFile(name, data, mode)
}

// put writes a file into Dir.
func (p place) put(name, text string) error {
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return write(root, Dir+"/"+name, []byte(text), false)
}

// answer reads at most most+1 bytes of a file in Dir. It returns nil if the file does not exist.
func (p place) answer(name string, most int64) ([]byte, error) {
	at := filepath.Join(p.dir, Dir, name)
	info, err := os.Lstat(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s/%s: %w", Dir, name, errSpecial)
	}
	return folder.ReadFile(at, info, most)
}

// errSpecial is the error of a link or device in place of an answer.
var errSpecial = errors.New("it is no regular file")

func (p place) remove() error { return os.RemoveAll(p.dir) }

// changed returns what the command changed: the files that match a pattern as edits, in order, and
// the paths of the others.
func (p place) changed(patterns []string, most int64) (edits []tree.Edit, others []string, ds diag.List, err error) {
	wanted := func(name string) bool {
		return slices.ContainsFunc(patterns, func(pattern string) bool { return policy.MatchPath(pattern, name) })
	}
	all, found, err := folder.Read(p.dir, folder.Bounds{Files: maxFiles, FileBytes: most, Bytes: maxBytes})
	if err != nil {
		return nil, nil, nil, err
	}
	for _, d := range found {
		if d.Rule == folder.RuleSize || wanted(d.Pos.File) { // other files that are too large are not handed in
			ds.Add(d)
		}
	}
	there := map[string]bool{}
	for _, e := range all {
		there[e.Path] = true
		if strings.HasPrefix(e.Path, Dir+"/") {
			continue
		}
		if old, err := p.view.Read(e.Path); err == nil && bytes.Equal(old, e.Content) {
			continue
		}
		if wanted(e.Path) {
			edits = append(edits, e)
		} else {
			others = append(others, e.Path)
		}
	}
	if ds.HasErrors() { // files beyond the bounds were not read; they are not deleted
		return edits, others, ds, nil
	}
	err = tree.Files(p.view, "", func(e tree.Entry) error {
		gone := laid(e) && !there[e.Path] && !hidden(e.Path)
		if gone && wanted(e.Path) {
			edits = append(edits, tree.Edit{Path: e.Path, Remove: true})
		} else if gone {
			others = append(others, e.Path)
		}
		return nil
	})
	order.Sort(edits, func(a, b tree.Edit) int { return strings.Compare(a.Path, b.Path) })
	slices.Sort(others)
	return edits, others, ds, err
}

// hidden reports whether a path is below a name that folder.Read leaves out.
func hidden(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), folder.Ignored)
}
