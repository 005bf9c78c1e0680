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
		_, err = f.replay(id, events)
	}
	return err
}

// ReadablePart returns the newest event up to which a damaged journal is valid, or zero, like
// journal.Valid. A journal that begins as ours does counts first.
func (f *Forge) ReadablePart(id string, at tree.Hash) (tree.Hash, error) {
	var first tree.Hash
	if own, err := Shelf().Read(f.repo, id); err == nil && len(own) > 0 {
		first = own[0].Commit
	}
	return journal.Valid(f.repo, at, first, func(at tree.Hash) error { return f.Readable(id, at) })
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
