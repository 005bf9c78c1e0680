package local

import (
	"fmt"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// adopt records a merge commit that the service made. It is announced like any other.
// Main already has it, so the announcement alone makes the pull request merged (see
// settle), and the state equals that after an interrupted merge.
func (m *merging) adopt() (tree.Hash, error) {
	c, err := m.record.repo.Commit(m.Made)
	if err != nil {
		return tree.Hash{}, fmt.Errorf("read the commit that the service made: %w", err)
	}
	if len(c.Parents) == 0 || c.Parents[0] != m.Base || c.Tree != m.Tree {
		return tree.Hash{}, fmt.Errorf("%w: %s is not a commit upon %s with the tree %s", forge.ErrRequest, c.Hash.Short(), m.Base.Short(), m.Tree.Short())
	}
	merged, err := m.announce(m.Made)
	if err == nil && merged.IsZero() {
		merged, err = m.Made, m.complete()
	}
	return merged, err
}

// freshMade is fresh for a commit that the service made: main must have it.
func (m *merging) freshMade(now observed) error {
	if err := mustBeOpen(now.pull); err != nil {
		return err
	}
	//defence:merge-of-judged-head
	if now.pull.Head != m.Head {
		return &forge.ErrStale{Ref: branchRef(now.pull.Branch), Want: m.Head, Got: now.pull.Head}
	}
	on, err := m.record.merged(m.id, m.Made)
	if err == nil && !on {
		err = &forge.ErrStale{Ref: branchRef(now.pull.Base), Want: m.Made, Got: now.base}
	}
	return err
}

// anchors returns the commits that a merge's announcement keeps reachable. A squashed
// head is not a parent of the resulting commit.
func anchors(m forge.Merge, c gitstore.Commit) []tree.Hash {
	if len(c.Parents) == 1 {
		return []tree.Hash{c.Hash, m.Head}
	}
	return []tree.Hash{c.Hash}
}
