package gitstore

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"

	"github.com/assent-dev/assent/engine/base/tree"
)

// file describes a name that is not a folder. It reads the file if hashes are wanted. An
// unreadable file is listed without a hash, and Read returns its error.
func (w *worktreeWalk) file(at string, d fs.DirEntry) found {
	if w.hashed && d.Type().IsRegular() {
		buffer, _ := w.buffers.Get().(*[]byte)
		if buffer == nil {
			buffer = new([]byte)
		}
		defer w.buffers.Put(buffer)
		if f, err := w.disk.read(at, *buffer); err == nil {
			*buffer = f.data
			data := w.normal(at, f.data)
			e, err := w.regular(tree.Entry{Path: at, Size: int64(len(f.data)), Hash: tree.BlobHash(data)}, f.executable)
			return found{entry: e, ok: true, err: err}
		}
	}
	info, err := d.Info()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return found{}
	case err != nil:
		return found{err: err}
	case info.Mode()&fs.ModeSymlink != 0:
		return found{entry: tree.Entry{Path: at, Mode: tree.Symlink, Size: info.Size()}, ok: true}
	case !info.Mode().IsRegular():
		return found{} // Git stores no sockets or devices
	}
	e, err := w.regular(tree.Entry{Path: at, Size: info.Size()}, info.Mode()&0o100 != 0)
	return found{entry: e, ok: true, err: err}
}

// regular sets the mode of a file: from disk, or from HEAD if the disk has no modes.
func (w *worktreeWalk) regular(e tree.Entry, executable bool) (tree.Entry, error) {
	if !w.modes {
		held, _, err := w.headEntry(e.Path)
		if err != nil {
			return e, err
		}
		executable = held.Mode == tree.Executable
	}
	e.Mode = tree.Regular
	if executable {
		e.Mode = tree.Executable
	}
	return e, nil
}

// ignores adds the patterns of dir's own .gitignore, if names has one.
func (w *worktreeWalk) ignores(dir string, names []fs.DirEntry, patterns []gitignore.Pattern) ([]gitignore.Pattern, error) {
	if !slices.ContainsFunc(names, func(d fs.DirEntry) bool { return d.Name() == ".gitignore" }) {
		return patterns, nil
	}
	file := w.onDisk(tree.Join(dir, ".gitignore"))
	if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() || info.Size() > maxWorktreeFile {
		return patterns, nil // a missing, special or oversized .gitignore ignores nothing
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var domain []string
	if dir != "" {
		domain = strings.Split(dir, "/")
	}
	patterns = slices.Clip(patterns)
	for line := range strings.Lines(string(raw)) {
		if line = strings.TrimRight(line, "\r\n"); line != "" && line[0] != '#' {
			patterns = append(patterns, gitignore.ParsePattern(line, domain))
		}
	}
	return patterns, nil
}
