package journal

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// Shelf locates the journals of one kind. A journal has a ref of its own until it is folded.
// Then a record in a line names its last event, and the line keeps that event and so the
// journal reachable. Nothing is rewritten: an append to a folded journal creates its ref again,
// on the event in the record.
//
// A journal may be at several places: while it is being folded, after an append to a folded
// one, or in a clone that fetched at different times. All places must then be on one chain, and
// the longest is the journal. Anything else is damage (ErrNotJournal).
type Shelf struct {
	// Live is the ref prefix of journals that are not folded: refs/assent/pulls/.
	Live string
	// Lines have the records of folded journals.
	Lines
	// Only chooses the files that Read and Find return; nil for all. AppendWith needs all.
	Only Files
}

// Ref returns the ref of a journal that is not folded.
func (s Shelf) Ref(name string) string { return s.Live + name }

// Read returns a journal's events, folded or not, like the function Read.
func (s Shelf) Read(r *gitstore.Repo, name string) ([]Event, error) {
	events, _, err := s.read(r, name, nil)
	return events, err
}

// Find is Read that also returns the record of the last event. Its Name is empty if the last
// event is not folded.
func (s Shelf) Find(r *gitstore.Repo, name string) ([]Event, Record, error) {
	return s.FindAfter(r, name, nil)
}

// FindAfter is Find that does not read known events of the journal again.
func (s Shelf) FindAfter(r *gitstore.Repo, name string, known []Event) ([]Event, Record, error) {
	events, at, err := s.read(r, name, known)
	if err != nil || len(events) == 0 {
		return events, Record{}, err
	}
	at.folded = slices.DeleteFunc(at.folded, func(rec Record) bool { return rec.Head != events[len(events)-1].Commit })
	if len(at.heads()) > 1 { // with only one record, its reader says that it is false
		for _, rec := range at.folded {
			if s.falsehood(rec, events) == nil {
				return events, rec, nil
			}
		}
	}
	if !at.live.IsZero() || len(at.folded) == 0 {
		return events, Record{}, nil
	}
	return events, at.folded[0], nil
}

// Has reports whether there is a journal of this name, folded or not.
func (s Shelf) Has(r *gitstore.Repo, name string) (bool, error) {
	p, err := s.places(r, name)
	if err != nil {
		err = fmt.Errorf("looking for journal %s: %w", s.Ref(name), err)
	}
	return len(p.heads()) > 0, err
}

// Places returns the last events of a journal: that of its own ref, zero if it has none, and those in
// records of folded journals.
func (s Shelf) Places(r *gitstore.Repo, name string) (live tree.Hash, folded []tree.Hash, err error) {
	p, err := s.places(r, name)
	if err != nil {
		return p.live, nil, fmt.Errorf("looking for journal %s: %w", s.Ref(name), err)
	}
	for _, rec := range p.folded {
		folded = append(folded, rec.Head)
	}
	return p.live, folded, nil
}

// AppendWith is the function AppendWith for a journal of the shelf, folded or not, even if that
// changes meanwhile.
func (s Shelf) AppendWith(r *gitstore.Repo, name string, next Next) (Event, error) {
	return appendTo(r, source{
		ref: s.Ref(name),
		read: func(known []Event) ([]Event, tree.Hash, error) {
			events, at, err := s.read(r, name, known)
			return events, at.live, err
		},
		checkComplete: func(history []Event) error { return s.checkComplete(r, name, history) },
	}, next)
}

// places lists all places of a journal.
type places struct {
	live   tree.Hash // zero if it has no ref
	folded []Record
}

func (p places) heads() []tree.Hash {
	var out []tree.Hash
	if !p.live.IsZero() {
		out = append(out, p.live)
	}
	for _, rec := range p.folded {
		out = append(out, rec.Head)
	}
	return out
}

// places reads the journal's own ref first. If it is gone because the journal was folded, the
// line moved earlier, and is read later.
func (s Shelf) places(r *gitstore.Repo, name string) (places, error) {
	var p places
	var err error
	if p.live, err = r.Ref(s.Ref(name)); err != nil && !errors.Is(err, gitstore.ErrNoRef) {
		return p, err
	}
	p.folded, err = s.records(r, name)
	//defence:records-stand-alone
	if !p.live.IsZero() && notJournal(err) {
		// An unreadable record does not affect a journal with a ref of its own.
		return p, nil
	}
	return p, err
}

func (s Shelf) read(r *gitstore.Repo, name string, known []Event) ([]Event, places, error) {
	p, err := s.places(r, name)
	var events []Event
	if err == nil {
		events, err = longest(r, p.heads(), known, s.Only)
	}
	//defence:false-records-hide-no-journal
	if notJournal(err) && len(p.heads()) > 1 {
		events, p, err = s.withoutFalse(r, p, err)
	}
	if err != nil {
		err = fmt.Errorf("reading journal %s: %w", s.Ref(name), err)
	}
	return events, p, err
}

// withoutFalse reads a journal whose places do not continue each other. Anyone who can push can add
// a record. So beside the journal's own ref, a record that does not continue it is left out; without
// one, records that are not true are. Places that are left and do not continue each other are
// damage: nothing says which is the journal.
func (s Shelf) withoutFalse(r *gitstore.Repo, p places, damage error) ([]Event, places, error) {
	kept := places{live: p.live}
	var events []Event
	var err error
	if !p.live.IsZero() {
		if events, err = readBack(r, p.live, nil, s.Only); err != nil {
			return nil, p, err
		}
	}
	for _, rec := range p.folded {
		if p.live.IsZero() {
			if own, err := readBack(r, rec.Head, nil, s.Only); err != nil && !notJournal(err) {
				return nil, p, err
			} else if err != nil || s.falsehood(rec, own) != nil {
				continue
			}
		}
		with := places{live: kept.live, folded: append(slices.Clip(kept.folded), rec)}
		longer, err := longest(r, with.heads(), nil, s.Only)
		switch {
		case notJournal(err) && p.live.IsZero():
			return nil, p, damage
		case notJournal(err):
		case err != nil:
			return nil, p, err
		default:
			events, kept = longer, with
		}
	}
	if len(events) == 0 {
		return nil, p, damage
	}
	return events, kept, nil
}

// longest reads the chain that contains all heads.
func longest(r *gitstore.Repo, heads []tree.Hash, known []Event, only Files) ([]Event, error) {
	if len(heads) == 0 {
		return nil, nil
	}
	last := heads[0]
	if distinct := slices.Compact(slices.Clone(heads)); len(distinct) > 1 {
		furthest := 0
		for _, h := range distinct {
			e, err := readMessage(r, h)
			if err != nil {
				return nil, fmt.Errorf("event %s: %w", h.Short(), err)
			}
			if e.Sequence > furthest {
				last, furthest = h, e.Sequence
			}
		}
	}
	events, err := readBack(r, last, known, only)
	if err != nil {
		return nil, err
	}
	return events, checkOnChain(events, heads)
}

// checkOnChain returns an error if a head is not on the chain of events.
func checkOnChain(events []Event, heads []tree.Hash) error {
	at := make(map[tree.Hash]bool, len(events))
	for _, e := range events {
		at[e.Commit] = true
	}
	for _, h := range heads {
		if !at[h] {
			return fmt.Errorf("it is in two places that do not continue each other, at %s and at %s: %w",
				h.Short(), events[len(events)-1].Commit.Short(), ErrNotJournal)
		}
	}
	return nil
}

// checkComplete fails if the journal was appended to and folded since history was read: its ref is gone as
// before, its record is not. It is called under the lock of the ref, which prevents further
// appends. A ref that is there as before was not appended to, and records beside it may be false.
func (s Shelf) checkComplete(r *gitstore.Repo, name string, history []Event) error {
	p, err := s.places(r, name)
	if !p.live.IsZero() || len(history) > 0 && notJournal(err) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, rec := range p.folded {
		if len(history) == 0 || checkOnChain(history, []tree.Hash{rec.Head}) != nil {
			return &gitstore.ErrStale{Ref: rec.Line, Got: rec.Head}
		}
	}
	return nil
}

// Names returns the names of the journals with a ref of their own, sorted, without broken refs.
func (s Shelf) Names(r *gitstore.Repo) ([]string, error) {
	refs, err := r.Refs(s.Live)
	if _, err = gitstore.BrokenRefs(err); err != nil {
		return nil, fmt.Errorf("listing journals: %w", err)
	}
	names := make([]string, len(refs))
	for i, ref := range refs {
		names[i] = strings.TrimPrefix(ref.Name, s.Live)
	}
	return names, nil
}
