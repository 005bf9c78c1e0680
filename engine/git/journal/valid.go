package journal

import (
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// Valid returns the newest event at or below head up to which a journal is valid, or zero. The function
// valid examines the journal that ends at an event; the beginning of a valid journal is valid, too.
// Anyone with permission to push decides what follows an event, so Valid passes any number of
// commits that are no events, and whole journals, but at most maxPassed bytes of malformed ones. If a
// journal begins at first, that one counts.
// An error says that Valid could not see what is below, so that a valid event may exist.
func Valid(r *gitstore.Repo, head, first tree.Hash, valid func(at tree.Hash) error) (tree.Hash, error) {
	var newest tree.Hash
	if leadsNowhere(r, head) {
		return newest, nil
	}
	left := int64(maxPassed)
	for !head.IsZero() {
		events, below, err := complete(r, head, &left)
		if err != nil || len(events) == 0 {
			return newest, err
		}
		if ours := events[0] == first; ours || newest.IsZero() {
			n := sort.Search(len(events), func(n int) bool { return valid(events[n]) != nil })
			if n > 0 {
				newest = events[n-1]
			}
			if n > 0 && (ours || first.IsZero()) {
				return newest, nil
			}
		}
		head = below
	}
	return newest, nil
}

// leadsNowhere reports whether a hash is of an object that has no parents, or that is not here.
func leadsNowhere(r *gitstore.Repo, at tree.Hash) bool {
	_, err := r.Commit(at)
	if err == nil || errors.Is(err, gitstore.ErrNoObject) {
		return err != nil
	}
	_, blob := r.BlobWithin(at, MaxFile)
	folder, err := r.Snapshot(at) // also of the commit that a tag names
	return blob == nil || err == nil && folder.Commit().IsZero()
}

// maxPassed bounds the malformed commits that are read to see what is below them. One of 60 MB may
// be a few hundred bytes on the wire.
const maxPassed = 128 << 20

// complete returns the newest complete chain of events at or below a commit, oldest first, and the
// commit below it. Without a complete chain, events is empty. The texts of the events are not kept.
func complete(r *gitstore.Repo, head tree.Hash, left *int64) (events []tree.Hash, below tree.Hash, err error) {
	next := 0 // the number of the last event
	for at := head; !at.IsZero(); {
		c, err := r.Passable(at)
		if err != nil {
			return nil, below, fmt.Errorf("what is below %s cannot be read: %w", at.Short(), err)
		}
		*left -= c.Passed()
		//defence:junk-is-passed-in-bounds
		if *left < 0 {
			return nil, below, fmt.Errorf("above %s are malformed commits of more than %d MiB: %w", at.Short(), maxPassed>>20, ErrNotJournal)
		}
		e, _, err := eventOf(c)
		if err != nil || len(events) > 0 && next != e.Sequence+1 {
			events = events[:0]
		}
		below = tree.Hash{}
		if len(c.Parents) > 0 {
			below = c.Parents[0]
		}
		if err == nil {
			events, next = append(events, at), e.Sequence
			if e.Sequence == 1 {
				slices.Reverse(events)
				return events, below, nil
			}
		}
		at = below
	}
	return nil, below, nil
}
