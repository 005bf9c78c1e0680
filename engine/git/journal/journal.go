package journal

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// Errors that callers distinguish with errors.Is.
var (
	// ErrNotJournal is returned for a ref whose commits are not events.
	ErrNotJournal = errors.New("not a journal")
	// ErrVersion is returned for events in a newer format.
	ErrVersion = errors.New("unknown journal version")
	// ErrFull is returned for an event that exceeds a bound of the journal.
	ErrFull = errors.New("the journal's limits are exceeded")
	// ErrContended is returned if other writers were first at every attempt.
	ErrContended = errors.New("too many writers")
)

// maxAttempts bounds the attempts of an append.
const maxAttempts = 64

// Read returns a journal's events, oldest first, with their files. A missing ref is an empty
// journal.
func Read(r *gitstore.Repo, ref string) ([]Event, error) {
	events, _, err := read(r, ref, nil)
	return events, err
}

// ReadAt is Read for a journal whose last event is the commit head, such as a folded journal
// without a ref.
func ReadAt(r *gitstore.Repo, head tree.Hash) ([]Event, error) {
	return readBack(r, head, nil, nil)
}

// read continues from known, so that a retry reads only new events.
func read(r *gitstore.Repo, ref string, known []Event) ([]Event, tree.Hash, error) {
	head, err := r.Ref(ref)
	if errors.Is(err, gitstore.ErrNoRef) {
		return nil, tree.Hash{}, nil
	}
	if err != nil {
		return nil, head, fmt.Errorf("reading journal %s: %w", ref, err)
	}
	events, err := readBack(r, head, known, nil)
	if err != nil {
		err = fmt.Errorf("reading journal %s: %w", ref, err)
	}
	return events, head, err
}

// readBack reads the chosen files of the events after the known ones.
func readBack(r *gitstore.Repo, head tree.Hash, known []Event, only Files) ([]Event, error) {
	var fresh []Event
	left := newBudget(only)
	for _, e := range known {
		left.events, left.bytes = left.events-1, left.bytes-e.size()
	}
	for at := head; ; {
		if n := len(known); n > 0 && known[n-1].Commit == at {
			slices.Reverse(fresh)
			return append(slices.Clip(known), fresh...), nil
		}
		e, previous, err := readEvent(r, at, &left)
		if err != nil {
			return nil, fmt.Errorf("event %s: %w", at.Short(), err)
		}
		if n := len(fresh); n > 0 && fresh[n-1].Sequence != e.Sequence+1 {
			return nil, fmt.Errorf("event %s has number %d, before number %d: %w", at.Short(), e.Sequence, fresh[n-1].Sequence, ErrNotJournal)
		}
		fresh = append(fresh, e)
		if e.Sequence == 1 {
			slices.Reverse(fresh)
			return fresh, nil
		}
		at = previous
	}
}

// Last returns the event at head, without its files and anchors and without reading earlier
// events.
func Last(r *gitstore.Repo, head tree.Hash) (Event, error) {
	e, err := readMessage(r, head)
	if err != nil {
		return e, fmt.Errorf("event %s: %w", head.Short(), err)
	}
	return e, nil
}

// readMessage returns an event without its files and anchors.
func readMessage(r *gitstore.Repo, h tree.Hash) (Event, error) {
	c, err := r.Commit(h)
	if err != nil {
		return Event{}, err
	}
	e, err := parse(c.Message)
	e.Commit = h
	return e, err
}

// readEvent returns one event and the commit of the previous one.
func readEvent(r *gitstore.Repo, h tree.Hash, left *budget) (Event, tree.Hash, error) {
	c, err := r.Commit(h)
	if err == nil {
		err = left.spendEvent(c)
	}
	if err != nil {
		return Event{}, tree.Hash{}, err
	}
	e, previous, err := eventOf(c)
	if err == nil {
		e.Files, err = left.readFiles(r, c.Tree)
	}
	return e, previous, err
}

// eventOf returns the event of a commit, without its files, and the commit of the previous
// event.
func eventOf(c gitstore.Commit) (Event, tree.Hash, error) {
	e, err := parse(c.Message)
	if err != nil {
		return e, tree.Hash{}, err
	}
	e.Commit, e.Anchors = c.Hash, c.Parents
	var previous tree.Hash
	if e.Sequence > 1 {
		if len(c.Parents) == 0 {
			return e, previous, fmt.Errorf("number %d has no previous event; the journal is truncated: %w", e.Sequence, ErrNotJournal)
		}
		previous, e.Anchors = c.Parents[0], c.Parents[1:]
	}
	if len(e.Anchors) == 0 {
		e.Anchors = nil
	}
	return e, previous, nil
}

// Fill reads whole the events of which Chains returned outlines, within the bounds of a journal.
func Fill(r *gitstore.Repo, outlines []Event) ([]Event, error) {
	left := newBudget(nil)
	out := make([]Event, len(outlines))
	for i, o := range outlines {
		var err error
		if out[i], _, err = readEvent(r, o.Commit, &left); err != nil {
			return nil, fmt.Errorf("event %s: %w", o.Commit.Short(), err)
		}
	}
	return out, nil
}

// Append reads the journal, calls next with its history, and appends the returned event. A nil
// event appends nothing, and Append returns the zero Event. If another writer was first, it
// starts over with the new history, up to a bound (ErrContended). The returned event is
// durable.
func Append(r *gitstore.Repo, ref string, next func(history []Event) (*Event, error)) (Event, error) {
	return AppendWith(r, ref, func(history []Event) (*Event, Moves, error) {
		e, err := next(history)
		return e, Moves{}, err
	})
}

// Moves are refs that move together with a journal. A power cut may undo any number of the last
// moves: if the event exists, the moves in Before happened; the moves in After happened only if
// the event exists.
type Moves struct{ Before, After []gitstore.RefUpdate }

// Next decides, from a journal's history, which event to append and which refs to move with it.
// A nil event appends and moves nothing.
type Next func(history []Event) (*Event, Moves, error)

// AppendWith is Append that also moves other refs: either all of them have their expected
// values, or next is called again. With a nil event nothing moves.
func AppendWith(r *gitstore.Repo, ref string, next Next) (Event, error) {
	return appendTo(r, source{ref: ref, read: func(known []Event) ([]Event, tree.Hash, error) { return read(r, ref, known) }}, next)
}

// source reads one journal and names the ref to append to.
type source struct {
	ref string
	// read returns the history and the value of ref: usually the last event, zero if the
	// journal was folded.
	read func(known []Event) (history []Event, at tree.Hash, err error)
	// still, if not nil, is called under the lock of ref and fails if history is incomplete.
	checkComplete func(history []Event) error
}

func appendTo(r *gitstore.Repo, from source, next Next) (Event, error) {
	var history []Event
	ref := from.ref
	for attempt := range maxAttempts {
		var at tree.Hash
		var err error
		if history, at, err = from.read(history); err != nil {
			return Event{}, err
		}
		e, others, err := next(slices.Clip(history))
		if err != nil || e == nil {
			return Event{}, err
		}
		stored, err := write(r, *e, history)
		if err != nil {
			return Event{}, fmt.Errorf("appending to %s: %w", ref, err)
		}
		move := gitstore.RefUpdate{Name: ref, Old: at, New: stored.Commit, Reflog: "journal: " + e.Kind}
		if from.checkComplete != nil {
			move.Provided = func() error { return from.checkComplete(history) }
		}
		err = r.Update(slices.Concat(others.Before, []gitstore.RefUpdate{move}, others.After)...)
		if err == nil {
			return stored, nil
		}
		var stale *gitstore.ErrStale
		if !errors.As(err, &stale) {
			return Event{}, fmt.Errorf("appending to %s: %w", ref, err)
		}
		pause(attempt)
	}
	return Event{}, fmt.Errorf("appending to %s: others were faster %d times: %w", ref, maxAttempts, ErrContended)
}

// pause waits a random time, longer with each lost race.
func pause(attempt int) {
	most := time.Millisecond << min(attempt, 6)
	time.Sleep(rand.N(most))
}

// write stores the event's objects, which become durable with the ref.
func write(r *gitstore.Repo, e Event, history []Event) (Event, error) {
	e.Sequence = 1
	var parents []tree.Hash
	if n := len(history); n > 0 {
		e.Sequence = history[n-1].Sequence + 1
		parents = append(parents, history[n-1].Commit)
	}
	if err := e.validate(); err != nil {
		return e, err
	}
	if err := e.checkSize(history); err != nil {
		return e, err
	}
	var edits []tree.Edit
	for _, path := range slices.Sorted(maps.Keys(e.Files)) {
		edits = append(edits, tree.Edit{Path: path, Content: e.Files[path]})
	}
	root, err := r.WriteTree(tree.Hash{}, edits)
	if err != nil {
		return e, err
	}
	e.Commit, err = r.WriteCommit(gitstore.Commit{
		Tree:      root,
		Parents:   append(parents, e.Anchors...),
		Author:    person(e.By, e.At),
		Committer: writer(e.At),
		Message:   e.message(),
	}, nil)
	return e, err
}

// writer returns the committer of all events.
func writer(at time.Time) gitstore.Person { return gitstore.Person{Name: "assent", When: at} }

// person splits "Name <address>"; any other text is a name.
func person(by string, at time.Time) gitstore.Person {
	name, rest, ok := strings.Cut(by, "<")
	address, _, closed := strings.Cut(rest, ">")
	if !ok || !closed || strings.TrimSpace(name) == "" {
		return gitstore.Person{Name: by, When: at}
	}
	return gitstore.Person{Name: name, Email: address, When: at}
}

// List returns the names of the refs below prefix, such as refs/assent/pulls/, sorted.
func List(r *gitstore.Repo, prefix string) ([]string, error) {
	refs, err := r.Refs(prefix)
	if err != nil {
		return nil, fmt.Errorf("listing journals: %w", err)
	}
	names := make([]string, len(refs))
	for i, ref := range refs {
		names[i] = ref.Name
	}
	return names, nil
}
