package workspace

import (
	"fmt"
	"sync"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/composed"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// View is the tree of a commit with the folders of its capabilities, so that finding one
// needs no listing of all (see capability.NamerOf).
type View struct {
	*gitstore.Snapshot
	capability.Namer
}

// Implementing implements capability.Implementer: by an index where there is one.
func (v *View) Implementing(name string) ([]capability.Folder, error) {
	if knows, ok := v.Namer.(capability.Implementer); ok {
		return knows.Implementing(name) //nolint:wrapcheck // the catalogue's error names the question
	}
	return capability.Implementing(v.Snapshot, name) //nolint:wrapcheck // likewise
}

// Applying implements capability.Applier: by an index where there is one.
func (v *View) Applying(name string) ([]capability.Folder, error) {
	if knows, ok := v.Namer.(capability.Applier); ok {
		return knows.Applying(name) //nolint:wrapcheck // the catalogue's error names the question
	}
	return capability.Applying(v.Snapshot, name) //nolint:wrapcheck // likewise
}

// Needing implements capability.Needer: by an index where there is one.
func (v *View) Needing(name string) ([]capability.Folder, error) {
	if knows, ok := v.Namer.(capability.Needer); ok {
		return knows.Needing(name) //nolint:wrapcheck // the catalogue's error names the question
	}
	return capability.Needing(v.Snapshot, name) //nolint:wrapcheck // likewise
}

// Callers implements composed.Indexed: by an index where there is one.
func (v *View) Callers(name string) ([]capability.Folder, error) {
	if knows, ok := v.Namer.(composed.Indexed); ok {
		return knows.Callers(name) //nolint:wrapcheck // the catalogue's error names the question
	}
	return composed.Callers(v.Snapshot, name) //nolint:wrapcheck // likewise
}

// See opens the tree of a commit, or a tree, that differs from the tree in force by the changes of
// one proposal or a few merges.
func (s Session) See(h tree.Hash) (*View, error) {
	view, err := s.Repo.Snapshot(h)
	if err != nil {
		return nil, err
	}
	return &View{view, &near{cur: s.View, view: view}}, nil
}

// near finds names in a tree that differs little from the one in force. It
// compares the two when it is first asked.
type near struct {
	cur  *View
	view *gitstore.Snapshot

	mu    sync.Mutex
	names capability.Namer
}

// Named implements capability.Namer.
func (n *near) Named(name string) ([]capability.Folder, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.names == nil {
		changes, err := tree.Diff(n.cur, n.view, capability.Root)
		if err != nil {
			return nil, fmt.Errorf("compare capabilities with those in force: %w", err)
		}
		if n.names, err = capability.NewOverlay(n.cur, n.cur, n.view, changes); err != nil {
			return nil, err
		}
	}
	return n.names.Named(name)
}
