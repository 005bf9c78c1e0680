package local

import (
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
)

// DamagedPrefix is the prefix of refs that keep a damaged journal after its restoration.
const DamagedPrefix = AsidePrefix + "damaged/"

// Readable returns an error if the journal of a proposal that ends at a commit cannot be
// read.
func (f *Forge) Readable(id string, at tree.Hash) error {
	events, err := journal.ReadAt(f.repo, at)
	if err == nil {
		err = journal.Check(f.repo, events)
	}
	if err == nil {
		_, err = replay(id, events, f.merged)
	}
	return err
}

// restoreAttempts bounds the search for a readable part of a damaged journal.
const restoreAttempts = 200

// ReadablePart returns the newest event up to which a damaged journal is valid, zero if
// there is none. Events before the damage are kept.
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

// Put replaces the unreadable journal at old with the one at at. It returns the ref that
// keeps the old one, empty if there was nothing to keep.
func (f *Forge) Put(id string, old, at tree.Hash) (kept string, err error) {
	var moves []gitstore.RefUpdate
	if _, err := f.repo.Commit(old); err == nil {
		kept = DamagedPrefix + id + "/" + old.Short()
		moves = append(moves, gitstore.RefUpdate{Name: kept, New: old, Any: true, Reflog: "assent: kept as evidence"})
	}
	moves = append(moves, gitstore.RefUpdate{Name: pullRef(id), Old: old, New: at, Reflog: "assent: restored"})
	return kept, f.repo.Update(moves...)
}
