package gitstore

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
)

// maxWorktreeFile bounds the bytes read of one file.
const maxWorktreeFile = 64 << 20

// ErrTooLarge is returned by Read of a worktree view for a file over 64 MiB. The entry's Size
// has its size.
var ErrTooLarge = errors.New("file is larger than 64 MiB")

// worktreeView shows the files on disk. Names, modes and sizes are those at its creation;
// contents are read on demand.
type worktreeView struct {
	root  string
	disk  diskFiles
	lists map[string][]tree.Entry
	head  *Snapshot
	crlf  bool
	modes bool
	// hashed is set if hashes were computed. An entry that could not be read has none.
	hashed bool
	// ignored lists the files and folders (with a slash) that .gitignore excludes.
	ignored []string
}

// Ignored returns the files and folders (with a slash) that a worktree view omits because of
// .gitignore files, sorted. It returns nil for other views.
func Ignored(v tree.View) []string {
	if w, ok := v.(*worktreeView); ok {
		return slices.Sorted(slices.Values(w.ignored))
	}
	return nil
}

// WorktreeView shows the files on disk, below the given top-level folders or all of them. It
// follows no symbolic link. It omits .git, and files that .gitignore excludes unless HEAD has
// them. Hashes are zero. Line endings are normalised according to core.autocrlf. The error is
// ErrNotExist for a bare repository.
func (co *Checkouts) WorktreeView(dirs ...string) (tree.View, error) {
	return co.worktreeView(false, dirs)
}

// HashedWorktreeView is WorktreeView with the hashes that files and folders would have if
// committed now, so that a comparison enters only folders that differ. It reads every file, on
// all processors, and trusts no times, sizes or Git index. Read fails for a file whose content
// changed since.
func (co *Checkouts) HashedWorktreeView(dirs ...string) (tree.View, error) {
	return co.worktreeView(true, dirs)
}

func (co *Checkouts) worktreeView(hashed bool, dirs []string) (tree.View, error) {
	if co.place.Bare() {
		return nil, fmt.Errorf("%s is bare and has no worktree: %w", co.place.gitDir, tree.ErrNotExist)
	}
	head, err := co.refs.Head()
	if err != nil {
		return nil, err
	}
	v := &worktreeView{root: co.place.root, lists: map[string][]tree.Entry{}, modes: co.settings.config.bool("core.filemode", true), hashed: hashed}
	if setting := strings.ToLower(co.settings.Config("core.autocrlf")); setting == "input" || Truth(setting) {
		v.crlf = true
	}
	if v.head, err = co.objects.Snapshot(head.Commit); err != nil {
		return nil, err
	}
	if v.disk, err = openDisk(co.place.root); err != nil {
		return nil, fmt.Errorf("reading the worktree: %w", err)
	}
	w := worktreeWalk{worktreeView: v, slots: make(chan struct{}, runtime.GOMAXPROCS(0)-1)}
	if err := w.top(dirs); err != nil {
		return nil, fmt.Errorf("reading the worktree: %w", err)
	}
	return v, nil
}

func (v *worktreeView) onDisk(path string) string {
	return filepath.Join(v.root, filepath.FromSlash(path))
}

// Lookup implements tree.View.
func (v *worktreeView) Lookup(path string) (tree.Entry, error) {
	if path == "" {
		return tree.Entry{Mode: tree.Dir, Size: -1}, nil
	}
	list := v.lists[path[:max(0, strings.LastIndexByte(path, '/'))]]
	for _, mode := range []tree.Mode{tree.Regular, tree.Dir} { // the sort order depends on the mode
		i, ok := slices.BinarySearchFunc(list, tree.Entry{Path: path, Mode: mode}, byPath)
		if ok && list[i].Path == path {
			return list[i], nil
		}
	}
	return tree.Entry{}, tree.ErrNotExist
}

func byPath(a, b tree.Entry) int { return tree.Compare(a.Path, a.Mode, b.Path, b.Mode) }

// List implements tree.View.
func (v *worktreeView) List(dir string) ([]tree.Entry, error) {
	list, ok := v.lists[dir]
	if !ok {
		return nil, tree.ErrNotExist
	}
	return slices.Clone(list), nil
}

// Read implements tree.View.
func (v *worktreeView) Read(path string) ([]byte, error) {
	e, err := v.Lookup(path)
	if err != nil {
		return nil, err
	}
	if e.Mode == tree.Symlink {
		target, err := os.Readlink(v.onDisk(path))
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", path, err)
		}
		return []byte(filepath.ToSlash(target)), nil
	}
	if !e.Mode.IsFile() {
		return nil, tree.ErrNotExist
	}
	f, err := v.disk.read(path, nil)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	data := v.normal(path, f.data)
	if !e.Hash.IsZero() && tree.BlobHash(data) != e.Hash {
		return nil, fmt.Errorf("reading %s: it changed while it was read; try again", path)
	}
	return data, nil
}

// normal converts CRLF to LF according to core.autocrlf: in text, and only if the committed
// file has no CRLF.
func (v *worktreeView) normal(path string, data []byte) []byte {
	if !v.crlf || !bytes.Contains(data, []byte("\r\n")) || bytes.IndexByte(data, 0) >= 0 {
		return data
	}
	if committed, err := v.head.Read(path); err == nil && bytes.Contains(committed, []byte("\r\n")) {
		return data
	}
	return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
}
