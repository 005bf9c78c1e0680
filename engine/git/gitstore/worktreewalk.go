package gitstore

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"

	"github.com/assent-dev/assent/engine/base/tree"
)

// worktreeWalk fills a view, several folders at once.
type worktreeWalk struct {
	*worktreeView
	slots chan struct{} // one for each helping goroutine
	mu    sync.Mutex    // guards lists and ignored
	// buffers are reused for files that are read only for their hash, one per goroutine.
	buffers sync.Pool
}

// found describes a name on disk; ok is false if Git would ignore it.
type found struct {
	entry tree.Entry
	ok    bool
	err   error
}

// top walks the top-level folders dirs, or the whole worktree.
func (w *worktreeWalk) top(dirs []string) error {
	names, err := os.ReadDir(w.root)
	if err != nil {
		return err
	}
	patterns, err := w.ignores("", names, nil)
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(d fs.DirEntry) bool { return len(dirs) > 0 && !slices.Contains(dirs, d.Name()) })
	w.lists[""], err = w.entries("", names, patterns)
	return err
}

// entries returns the names in dir that Git would record, in its order.
func (w *worktreeWalk) entries(dir string, names []fs.DirEntry, patterns []gitignore.Pattern) ([]tree.Entry, error) {
	var all sync.WaitGroup
	each := make([]found, len(names))
	for i, d := range names {
		look := func() { each[i] = w.describe(tree.Join(dir, d.Name()), d, patterns) }
		if !d.IsDir() || !w.runParallel(&all, look) {
			look()
		}
	}
	all.Wait()
	list := make([]tree.Entry, 0, len(each))
	for _, f := range each {
		if f.err != nil {
			return nil, f.err
		}
		if f.ok {
			list = append(list, f.entry)
		}
	}
	slices.SortFunc(list, byPath)
	return list, nil
}

// runParallel runs do in another goroutine, unless all processors are busy.
func (w *worktreeWalk) runParallel(all *sync.WaitGroup, do func()) bool {
	select {
	case w.slots <- struct{}{}:
		all.Go(func() {
			defer func() { <-w.slots }()
			do()
		})
		return true
	default:
		return false
	}
}

// describe describes one name on disk as Git would record it.
func (w *worktreeWalk) describe(at string, d fs.DirEntry, patterns []gitignore.Pattern) found {
	if strings.EqualFold(d.Name(), ".git") {
		return found{}
	}
	if len(patterns) > 0 && gitignore.NewMatcher(patterns).Match(strings.Split(at, "/"), d.IsDir()) {
		if _, held, err := w.headEntry(at); err != nil || !held {
			w.addIgnored(at, d)
			return found{err: err}
		}
	}
	if d.IsDir() {
		return w.folder(at, patterns)
	}
	return w.file(at, d)
}

// addIgnored records a name that .gitignore excludes.
func (w *worktreeWalk) addIgnored(at string, d fs.DirEntry) {
	if d.IsDir() {
		at += "/"
	}
	w.mu.Lock()
	w.ignored = append(w.ignored, at)
	w.mu.Unlock()
}

// headEntry returns HEAD's entry at a path, if any.
func (w *worktreeWalk) headEntry(at string) (tree.Entry, bool, error) {
	e, err := w.head.Lookup(at)
	if errors.Is(err, fs.ErrNotExist) {
		return e, false, nil
	}
	return e, err == nil, err
}

// folder walks a folder. A folder without files is omitted, because Git records no empty ones.
// Another repository, or its empty folder, is a submodule if HEAD has one there.
func (w *worktreeWalk) folder(dir string, patterns []gitignore.Pattern) found {
	names, err := os.ReadDir(w.onDisk(dir))
	if err != nil {
		return found{err: err}
	}
	if len(names) == 0 || slices.ContainsFunc(names, func(d fs.DirEntry) bool { return strings.EqualFold(d.Name(), ".git") }) {
		if e, _, err := w.headEntry(dir); err != nil || e.Mode == tree.Submodule {
			return found{entry: tree.Entry{Path: dir, Mode: tree.Submodule, Hash: e.Hash, Size: -1}, ok: true, err: err}
		}
	}
	if patterns, err = w.ignores(dir, names, patterns); err != nil {
		return found{err: err}
	}
	list, err := w.entries(dir, names, patterns)
	if err != nil {
		return found{err: err}
	}
	w.mu.Lock()
	w.lists[dir] = list
	w.mu.Unlock()
	return found{entry: tree.Entry{Path: dir, Mode: tree.Dir, Hash: w.hashOf(list), Size: -1}, ok: len(list) > 0}
}

// hashOf returns the hash of a tree object with these entries; zero if one has no hash.
func (w *worktreeWalk) hashOf(list []tree.Entry) tree.Hash {
	if !w.hashed {
		return tree.Hash{}
	}
	entries := make([]treeEntry, len(list))
	for i, e := range list {
		if e.Hash.IsZero() {
			return tree.Hash{}
		}
		entries[i] = treeEntry{name: path.Base(e.Path), mode: e.Mode, hash: e.Hash}
	}
	return hashObject(kindTree, encodeTree(entries))
}
