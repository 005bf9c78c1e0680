package journal

import (
	"errors"
	"fmt"
	"slices"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// maxUnreadable bounds how many unreadable commits in a row are skipped on the way to
// the events below them.
const maxUnreadable = 256

// maxChained bounds the events of one place, with those that were appended to fill it up.
const maxChained = 10 * MaxEvents

// Chains returns every readable part of a journal: of each place where it is, the
// events below whatever cannot be read, newest part first, each from its oldest event
// that can be read. A part that begins with number 1 is complete. damage joins what
// could not be read; err is a failure to look. A journal without damage is one part.
// The events lack their files, which Fill reads, so that large files on top cost nothing.
//
// Appending to a journal takes only permission to push. So what follows
// an event must never keep that event from being read.
func (s Shelf) Chains(r *gitstore.Repo, name string) (parts [][]Event, damage, err error) {
	p, err := s.places(r, name)
	if damage = content(err); err != nil && damage == nil {
		return nil, nil, fmt.Errorf("looking for journal %s: %w", s.Ref(name), err)
	}
	seen := map[tree.Hash]bool{}
	for _, head := range p.heads() {
		found, broken, err := chainsFrom(r, head, seen)
		if err != nil {
			return nil, nil, fmt.Errorf("reading journal %s: %w", s.Ref(name), err)
		}
		parts, damage = append(parts, found...), errors.Join(damage, broken)
	}
	return parts, damage, nil
}

// content returns an error that is about what is stored, nil for any other.
func content(err error) error {
	for _, about := range []error{ErrNotJournal, ErrVersion, gitstore.ErrCorrupt, gitstore.ErrNoObject, gitstore.ErrSymbolic, tree.ErrTooLarge} {
		if errors.Is(err, about) {
			return err
		}
	}
	return nil
}

// chainsFrom follows first parents from head. A head below one that was followed before
// has nothing new.
func chainsFrom(r *gitstore.Repo, head tree.Hash, seen map[tree.Hash]bool) (parts [][]Event, damage, err error) {
	var part []Event // newest first
	end := func() {
		if len(part) > 0 {
			slices.Reverse(part)
			parts = append(parts, part)
		}
		part = nil
	}
	whole := false // the last part ended with its first event
	for at, skipped, n := head, 0, 0; !at.IsZero() && !seen[at]; n++ {
		if n == maxChained {
			damage = errors.Join(damage, fmt.Errorf("more than %d events: %w", maxChained, ErrNotJournal))
			break
		}
		c, err := r.Commit(at)
		var e Event
		var previous tree.Hash
		if err == nil {
			e, previous, err = eventOf(c)
		}
		if broken := content(err); err != nil {
			if broken == nil {
				return nil, nil, fmt.Errorf("event %s: %w", at.Short(), err)
			}
			if whole { // the proposal's own commits, not events, lie below the first one
				break
			}
			end()
			damage = errors.Join(damage, fmt.Errorf("event %s: %w", at.Short(), broken))
			if skipped++; skipped > maxUnreadable {
				break
			}
			at = firstParent(r, at)
			continue
		}
		if n := len(part); n > 0 && part[n-1].Sequence != e.Sequence+1 {
			damage = errors.Join(damage, fmt.Errorf("event %s has number %d, before number %d: %w", at.Short(), e.Sequence, part[n-1].Sequence, ErrNotJournal))
			end()
		}
		seen[at], skipped, whole = true, 0, e.Sequence == 1
		part = append(part, e)
		if at = previous; whole {
			end()
			at = firstParent(r, e.Commit)
		}
	}
	end()
	return parts, damage, nil
}

// firstParent is zero where there is none that can be read.
func firstParent(r *gitstore.Repo, h tree.Hash) tree.Hash {
	c, err := r.Commit(h)
	if err != nil || len(c.Parents) == 0 {
		return tree.Hash{}
	}
	return c.Parents[0]
}
