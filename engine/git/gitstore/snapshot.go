package gitstore

import (
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
)

// Snapshot is the immutable tree of one commit. It implements tree.View and may be used by
// several goroutines. Entry sizes are -1; use BlobSize.
type Snapshot struct {
	objects *Objects
	commit  tree.Hash
	root    tree.Hash
}

// Snapshot opens the tree of a commit. h may also name a tree, or a tag of either. The zero
// hash is the empty tree.
func (db *Objects) Snapshot(h tree.Hash) (*Snapshot, error) {
	s := &Snapshot{objects: db}
	if h.IsZero() {
		s.root = emptyTree()
		return s, nil
	}
	h, k, err := db.peel(h)
	if err != nil {
		return nil, fmt.Errorf("opening snapshot: %w", err)
	}
	switch k {
	case kindTree:
		s.root = h
	case kindCommit:
		c, err := db.Commit(h)
		if err != nil {
			return nil, fmt.Errorf("opening snapshot: %w", err)
		}
		s.commit, s.root = h, c.Tree
	default:
		return nil, fmt.Errorf("opening snapshot: %w", addHash(h, bad(kindTree, "is a %s, not a commit or tree", k)))
	}
	return s, nil
}

// Commit returns the commit, zero if the snapshot was opened from a tree.
func (s *Snapshot) Commit() tree.Hash { return s.commit }

// Tree returns the hash of the root tree.
func (s *Snapshot) Tree() tree.Hash { return s.root }

// Lookup implements tree.View.
func (s *Snapshot) Lookup(path string) (tree.Entry, error) {
	at := tree.Entry{Mode: tree.Dir, Hash: s.root, Size: -1}
	if path == "" {
		return at, nil
	}
	for rest, more := path, true; more; {
		var name string
		name, rest, more = strings.Cut(rest, "/")
		if at.Mode != tree.Dir {
			return tree.Entry{}, tree.ErrNotExist
		}
		entries, err := s.objects.tree(at.Hash)
		if err != nil {
			return tree.Entry{}, fmt.Errorf("reading %q in %s: %w", path, s.root.Short(), err)
		}
		e, ok := named(entries, name)
		if !ok {
			return tree.Entry{}, tree.ErrNotExist
		}
		at.Mode, at.Hash = e.mode, e.hash
	}
	at.Path = path
	return at, nil
}

// List implements tree.View.
func (s *Snapshot) List(dir string) ([]tree.Entry, error) {
	at, err := s.Lookup(dir)
	if err != nil {
		return nil, err
	}
	if at.Mode != tree.Dir {
		return nil, tree.ErrNotExist
	}
	entries, err := s.objects.tree(at.Hash)
	if err != nil {
		return nil, fmt.Errorf("listing %q in %s: %w", dir, s.root.Short(), err)
	}
	out := make([]tree.Entry, len(entries))
	for i, e := range entries {
		out[i] = tree.Entry{Path: tree.Join(dir, e.name), Mode: e.mode, Hash: e.hash, Size: -1}
	}
	return out, nil
}

// Read implements tree.View.
func (s *Snapshot) Read(path string) ([]byte, error) {
	e, err := s.Lookup(path)
	if err != nil {
		return nil, err
	}
	if e.Mode == tree.Dir || e.Mode == tree.Submodule {
		return nil, tree.ErrNotExist
	}
	data, err := s.objects.Blob(e.Hash)
	if err != nil {
		return nil, fmt.Errorf("reading %q in %s: %w", path, s.root.Short(), err)
	}
	return data, nil
}
