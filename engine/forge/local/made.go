package local

import (
	"fmt"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// record is the part of Merge that records a commit which the service made. It is
// announced like any other; since main has it, the announcement alone makes it merged
// (see settle), and what is left is what a cut merge leaves.
func (f *Forge) record(id string, m forge.Merge) (tree.Hash, error) {
	c, err := f.repo.Commit(m.Made)
	if err != nil {
		return tree.Hash{}, fmt.Errorf("read what the service made: %w", err)
	}
	if len(c.Parents) == 0 || c.Parents[0] != m.Base || c.Tree != m.Tree {
		return tree.Hash{}, fmt.Errorf("%w: %s is not a commit upon %s with the tree %s", forge.ErrRequest, c.Hash.Short(), m.Base.Short(), m.Tree.Short())
	}
	merged, err := f.announce(id, m, m.Made)
	if err == nil && merged.IsZero() {
		merged, err = m.Made, f.change(id, m.At, func(observed) (decision, error) { return decision{}, nil })
	}
	return merged, err
}

// freshMade is fresh for a commit that the service made: main has to hold it.
func (f *Forge) freshMade(now observed, m forge.Merge) error {
	if err := mustBeOpen(now.pull); err != nil {
		return err
	}
	//defence:merge-of-judged-head
	if now.pull.Head != m.Head {
		return &forge.ErrStale{Ref: branchRef(now.pull.Branch), Want: m.Head, Got: now.pull.Head}
	}
	on, err := f.onLine(m.Made, now.base)
	if err == nil && !on {
		err = &forge.ErrStale{Ref: branchRef(now.pull.Base), Want: m.Made, Got: now.base}
	}
	return err
}

// anchors are the commits that the announcement of a merge keeps: a squashed head is
// no parent of what was made of it.
func anchors(m forge.Merge, c gitstore.Commit) []tree.Hash {
	if len(c.Parents) == 1 {
		return []tree.Hash{c.Hash, m.Head}
	}
	return []tree.Hash{c.Hash}
}
