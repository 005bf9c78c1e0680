package gitstore

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"

	"github.com/assent-dev/assent/engine/tree"
)

// maxWorktreeFile bounds how much of one file is read.
const maxWorktreeFile = 64 << 20

// ErrTooLarge is returned by Read of a worktree view for a file over 64 MiB; the
// entry's Size says how large it is.
var ErrTooLarge = errors.New("file is larger than 64 MiB")

// worktreeView is the files on disk. Names, modes and sizes are those of the
// moment when it was made; contents are read when asked for.
type worktreeView struct {
	root    string
	entries map[string]tree.Entry
	lists   map[string][]tree.Entry
	head    *Snapshot
	crlf    bool
	modes   bool
}

// WorktreeView shows the files on disk, below the given top-level folders or all
// of them. It follows no symbolic link, and leaves out .git and what .gitignore
// files exclude unless HEAD holds it. Hashes are zero; line endings are
// normalised as core.autocrlf says. ErrNotExist in a bare repository.
func (r *Repo) WorktreeView(dirs ...string) (tree.View, error) {
	if r.Bare() {
		return nil, fmt.Errorf("%s is bare and has no files to look at: %w", r.gitDir, tree.ErrNotExist)
	}
	head, err := r.Head()
	if err != nil {
		return nil, err
	}
	v := &worktreeView{root: r.root, entries: map[string]tree.Entry{}, lists: map[string][]tree.Entry{},
		modes: r.config.bool("core.filemode", true)}
	if setting := strings.ToLower(r.Config("core.autocrlf")); setting == "input" || Truth(setting) {
		v.crlf = true
	}
	if v.head, err = r.Snapshot(head.Commit); err != nil {
		return nil, err
	}
	v.entries[""] = tree.Entry{Mode: tree.Dir, Size: -1}
	keep := func(name string) bool { return len(dirs) == 0 || slices.Contains(dirs, name) }
	if _, err := v.walk("", nil, keep); err != nil {
		return nil, fmt.Errorf("reading the worktree: %w", err)
	}
	return v, nil
}

// walk records directory dir and says whether it holds any file: Git knows no
// empty ones.
func (v *worktreeView) walk(dir string, patterns []gitignore.Pattern, keep func(name string) bool) (bool, error) {
	found, err := os.ReadDir(v.onDisk(dir))
	if err != nil {
		return false, err
	}
	patterns, err = v.ignores(dir, found, patterns)
	if err != nil {
		return false, err
	}
	ignored := gitignore.NewMatcher(patterns)
	var list []tree.Entry
	for _, d := range found {
		path := tree.Join(dir, d.Name())
		if strings.EqualFold(d.Name(), ".git") || !keep(d.Name()) {
			continue
		}
		held, err := v.head.Lookup(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
		if err != nil && ignored.Match(strings.Split(path, "/"), d.IsDir()) {
			continue
		}
		e, ok, err := v.entry(path, d, held, patterns)
		if err != nil {
			return false, err
		}
		if ok {
			list = append(list, e)
			v.entries[path] = e
		}
	}
	slices.SortFunc(list, func(a, b tree.Entry) int { return tree.Compare(a.Path, a.Mode, b.Path, b.Mode) })
	v.lists[dir] = list
	return len(list) > 0, nil
}

func (v *worktreeView) entry(path string, d fs.DirEntry, held tree.Entry, patterns []gitignore.Pattern) (tree.Entry, bool, error) {
	if d.IsDir() {
		if held.Mode == tree.Submodule {
			return tree.Entry{Path: path, Mode: tree.Submodule, Hash: held.Hash, Size: -1}, true, nil
		}
		any, err := v.walk(path, patterns, func(string) bool { return true })
		return tree.Entry{Path: path, Mode: tree.Dir, Size: -1}, any, err
	}
	info, err := d.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return tree.Entry{}, false, nil
	}
	if err != nil {
		return tree.Entry{}, false, err
	}
	e := tree.Entry{Path: path, Mode: tree.Regular, Size: info.Size()}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		e.Mode = tree.Symlink
	case !info.Mode().IsRegular():
		return tree.Entry{}, false, nil // Git holds no sockets or devices
	case v.modes && info.Mode()&0o100 != 0, !v.modes && held.Mode == tree.Executable:
		e.Mode = tree.Executable
	}
	return e, true, nil
}

// ignores adds the patterns of dir's own .gitignore, if it is among the files found there.
func (v *worktreeView) ignores(dir string, found []fs.DirEntry, patterns []gitignore.Pattern) ([]gitignore.Pattern, error) {
	if !slices.ContainsFunc(found, func(d fs.DirEntry) bool { return d.Name() == ".gitignore" }) {
		return patterns, nil
	}
	path := v.onDisk(tree.Join(dir, ".gitignore"))
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() || info.Size() > maxWorktreeFile {
		return patterns, nil // a .gitignore that is missing or odd ignores nothing
	}
	raw, err := os.ReadFile(path)
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

func (v *worktreeView) onDisk(path string) string {
	return filepath.Join(v.root, filepath.FromSlash(path))
}

// Lookup implements tree.View.
func (v *worktreeView) Lookup(path string) (tree.Entry, error) {
	e, ok := v.entries[path]
	if !ok {
		return e, tree.ErrNotExist
	}
	return e, nil
}

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
	data, err := readWorktreeFile(v.root, path)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return v.normal(path, data), nil
}

// normal turns CRLF into LF as core.autocrlf asks for: in text, and only when
// the committed file has no CRLF itself.
func (v *worktreeView) normal(path string, data []byte) []byte {
	if !v.crlf || !bytes.Contains(data, []byte("\r\n")) || bytes.IndexByte(data, 0) >= 0 {
		return data
	}
	if committed, err := v.head.Read(path); err == nil && bytes.Contains(committed, []byte("\r\n")) {
		return data
	}
	return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
}
