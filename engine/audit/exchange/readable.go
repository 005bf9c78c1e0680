package exchange

import (
	"errors"
	"fmt"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// Anyone who can push decides what follows a record on the remote. The invariant: nothing that
// follows a record keeps this clone from importing it. Where a journal or line cannot be read, its
// newest readable part is imported, and the rest is named.

// readable joins a journal of the remote with ours.
type readable[J any] struct {
	join func(at tree.Hash) (J, error)
	// part returns the newest event up to which the journal can be read and continues ours.
	part func() (tree.Hash, error)
	// beyond reports whether an error of join is about the content of the journal.
	beyond func(error) bool
}

// of joins the journal that ends at head, or its readable part. unread is why head cannot be read,
// if that is known.
func (r readable[J]) of(p *pulling, ref string, head tree.Hash, unread error) (joined J, err error) {
	if unread == nil {
		if joined, unread = r.join(head); !r.beyond(unread) {
			return joined, unread
		}
	}
	part, none := r.part()
	//defence:nothing-hides-the-events-below
	if none == nil && !part.IsZero() && part != head {
		p.leave(fmt.Errorf("%w; the part that can be read is imported, and assent doctor --fix --remote restores it there", unread), ref)
		return r.join(part)
	}
	p.leave(fmt.Errorf("%w; assent doctor --fix --remote restores it from a clone that has it", unread), ref)
	return joined, nil
}

// beyond reports whether an error is about the journal of a proposal, as opposed to a failure of
// this machine.
func beyond(err error) bool {
	var damaged *forge.Damaged
	return errors.As(err, &damaged) || errors.Is(err, forge.ErrExists)
}

// newest returns the newest commit below tip that holds, down to our own at here; zero if there is
// none. It passes few commits, because each may cost as much as the whole.
func (p *pulling) newest(here, tip tree.Hash, holds func(tree.Hash) error) (found tree.Hash) {
	const most = 100
	n := 0
	_ = p.w.Repo.Lineage(tip, func(c gitstore.Commit) (bool, error) { // where it ends, nothing is found
		n++
		if c.Hash != here && c.Hash != tip && holds(c.Hash) == nil {
			found = c.Hash
		}
		return found.IsZero() && c.Hash != here && n <= most, nil
	})
	return found
}
