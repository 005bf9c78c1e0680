package journal

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// maxUnreadable bounds how many unreadable commits in a row are skipped to reach the events
// below them.
const maxUnreadable = 256

// maxChained bounds the events read from one head, including ones appended to exhaust it.
const maxChained = 10 * MaxEvents

// maxOutlined bounds the texts of an outline, in bytes.
const maxOutlined = 64

// outline returns the number, time and commit of an event, with its kind and one field if they
// are short. Anyone with permission to push decides how many events there are, so each costs the
// same: no text of the commit stays in memory.
func (e Event) outline(field string) Event {
	out := Event{At: e.At, Commit: e.Commit, Sequence: e.Sequence}
	if len(e.Kind) <= maxOutlined {
		out.Kind = strings.Clone(e.Kind)
	}
	if value, has := e.Fields[field]; has && len(value) <= maxOutlined {
		out.Fields = map[string]string{field: strings.Clone(value)}
	}
	return out
}

// Part is a readable part of a journal: outlines of its events from the oldest.
type Part struct {
	Events []Event
	// Place counts the places of the journal. At one place, later events are above earlier
	// ones; between places the order means nothing.
	Place int
}

// Chains returns every readable part of a journal, for each place where it is: the events below
// an unreadable commit, newest part first, each from its oldest readable event. A part that
// starts with number 1 is complete. damage joins the unreadable content; err is an error of the
// environment. An undamaged journal is one part, at however many places: a part within another
// one is left out. The events are outlines with one field, which Fill reads whole, so that large
// texts and files in later events cost nothing.
//
// Anyone with permission to push can append to a journal, and add places. So events must stay
// readable whatever follows them, and whatever is at other places.
func (s Shelf) Chains(r *gitstore.Repo, name, field string) (parts []Part, damage, err error) {
	p, err := s.places(r, name)
	if damage = contentError(err); err != nil && damage == nil {
		return nil, nil, fmt.Errorf("looking for journal %s: %w", s.Ref(name), err)
	}
	known := map[tree.Hash]bool{}
	for place, head := range p.heads() {
		//defence:places-hide-no-others
		if known[head] {
			continue
		}
		known[head] = true
		found, broken, err := chainsFrom(r, head, field)
		if err != nil {
			return nil, nil, fmt.Errorf("reading journal %s: %w", s.Ref(name), err)
		}
		for _, events := range found {
			parts = append(parts, Part{events, place})
		}
		damage = errors.Join(damage, broken)
	}
	return withoutContained(parts), damage, nil
}

// withoutContained leaves out the parts whose events are all in another part. The numbers of a
// part's events have no gap, so that an event's place in two parts of one beginning is the same.
func withoutContained(parts []Part) []Part {
	alike := map[tree.Hash][]int{} // by first event
	for i, p := range parts {
		alike[p.Events[0].Commit] = append(alike[p.Events[0].Commit], i)
	}
	var out []Part
	for i, p := range parts {
		n := len(p.Events)
		if !slices.ContainsFunc(alike[p.Events[0].Commit], func(j int) bool {
			in := parts[j].Events
			return (len(in) > n || len(in) == n && j < i) && in[n-1].Commit == p.Events[n-1].Commit
		}) {
			out = append(out, p)
		}
	}
	return out
}

// contentError returns an error about stored content, and nil for any other error.
func contentError(err error) error {
	if notJournal(err) || errors.Is(err, gitstore.ErrSymbolic) {
		return err
	}
	return nil
}

// chainsFrom follows first parents from head, down to its own beginning: whether another head
// was there before changes nothing.
func chainsFrom(r *gitstore.Repo, head tree.Hash, field string) (parts [][]Event, damage, err error) {
	var part []Event // newest first
	end := func() {
		if len(part) > 0 {
			slices.Reverse(part)
			parts = append(parts, part)
		}
		part = nil
	}
	whole := false // the last part reached its first event
	for at, skipped, n := head, 0, 0; !at.IsZero(); n++ {
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
		if broken := contentError(err); err != nil {
			if broken == nil {
				return nil, nil, fmt.Errorf("event %s: %w", at.Short(), err)
			}
			if whole { // below the first event are commits of the proposal, not events
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
		skipped, whole = 0, e.Sequence == 1
		//defence:parts-hold-outlines
		e = e.outline(field)
		part = append(part, e)
		if at = previous; whole {
			end()
			at = firstParent(r, e.Commit)
		}
	}
	end()
	return parts, damage, nil
}

// firstParent returns zero if there is no readable parent.
func firstParent(r *gitstore.Repo, h tree.Hash) tree.Hash {
	c, err := r.Commit(h)
	if err != nil || len(c.Parents) == 0 {
		return tree.Hash{}
	}
	return c.Parents[0]
}
