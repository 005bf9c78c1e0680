package local

import (
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
)

// DamagedPrefix is where refs keep what stood in the place of a journal that was restored.
const DamagedPrefix = AsidePrefix + "damaged/"

// Readable says why the journal of a proposal that ends at a commit cannot be read; nil
// when it can.
func (f *Forge) Readable(id string, at tree.Hash) error {
	events, err := journal.ReadAt(f.repo, at)
	if err == nil {
		err = journal.Check(f.repo, events)
	}
	if err == nil {
		_, err = replay(id, events)
	}
	return err
}

// restoreAttempts bounds how far back a readable part of a damaged journal is looked for.
const restoreAttempts = 200

// ReadablePart is the newest event up to which a damaged journal reads as one; zero where
// no part does. Events that came before the damage are somebody's, and are not given up.
func (f *Forge) ReadablePart(id string, at tree.Hash) tree.Hash {
	for range restoreAttempts {
		c, err := f.repo.Commit(at)
		if err != nil || len(c.Parents) == 0 {
			return tree.Hash{}
		}
		if at = c.Parents[0]; f.Readable(id, at) == nil {
			return at
		}
	}
	return tree.Hash{}
}

// Put moves a journal that cannot be read here to one that can, and keeps what was there.
// The ref that keeps it is returned; empty where there was nothing to keep.
func (f *Forge) Put(id string, old, at tree.Hash) (kept string, err error) {
	var moves []gitstore.RefUpdate
	if _, err := f.repo.Commit(old); err == nil {
		kept = DamagedPrefix + id + "/" + old.Short()
		moves = append(moves, gitstore.RefUpdate{Name: kept, New: old, Any: true, Reflog: "assent: kept as evidence"})
	}
	moves = append(moves, gitstore.RefUpdate{Name: pullRef(id), Old: old, New: at, Reflog: "assent: restored"})
	return kept, f.repo.Update(moves...)
}
