package gitstore

import (
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
)

// RefUpdate moves one ref.
type RefUpdate struct {
	// Name is the full name, refs/….
	Name string
	// Old is what the ref must hold; zero: it must not exist.
	Old tree.Hash
	// New is what it shall hold; zero deletes it.
	New tree.Hash
	// Reflog is the reason that the reflog records.
	Reflog string
	// Any moves the ref whatever it holds; Old is ignored.
	Any bool
	// Provided, unless nil, is asked when all refs of the update are locked and
	// where they shall be; its error ends the update before anything moves. It is
	// for conditions that no ref's value tells, and must be quick.
	Provided func() error
}

// Update moves refs, all or none of them as far as other writers can interfere:
// every ref is locked and compared before the first one moves. They move in the
// given order, each durable before the next, so that a kill or a power cut in
// between leaves a prefix of it. Refs that are deleted come last, and a cut may
// leave any of those. Everything that the new values need is durable before
// that. When Update returns nil, all of it is.
//
// Errors: *ErrStale when a ref is not at Old, *ErrLocked when another process holds a
// lock for longer than a short while, ErrBadName, ErrRefConflict, ErrNoObject.
func (s *RefStore) Update(updates ...RefUpdate) error {
	s.updates.Lock()
	defer s.updates.Unlock()
	t := transaction{refs: s}
	for _, u := range updates {
		if err := t.add(u); err != nil {
			return fmt.Errorf("updating %s: %w", u.Name, err)
		}
	}
	if err := t.run(); err != nil {
		return err
	}
	if len(t.stored) > 0 {
		// The refs have moved; a failure to tidy up must not look as if they had not.
		// The next update tries again, and `git gc` does the same.
		_ = s.objects.packs.compact()
	}
	return nil
}

func (t *transaction) run() error {
	defer t.release()
	for _, step := range []func() error{t.precheck, t.store, t.offer, t.lock, t.compare, t.prepare, t.move, t.remove} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// transaction is one Update: its refs, the locks it holds, what to undo.
type transaction struct {
	refs   *RefStore
	moves  []*refMove
	claim  *claim
	packed *lockFile
	stored []namedObject
	keep   func()
}

// refMove is one ref in a transaction.
type refMove struct {
	RefUpdate
	lock *lockFile
	was  tree.Hash
	logs []reflog
}

func (t *transaction) add(u RefUpdate) error {
	if err := CheckRefName(u.Name); err != nil {
		return err
	}
	if n := len(t.moves); n > 0 && t.moves[n-1].New.IsZero() && !u.New.IsZero() {
		return fmt.Errorf("refs that are deleted come last in an update: %w", ErrRefConflict)
	}
	for _, other := range t.moves {
		if other.Name == u.Name {
			return fmt.Errorf("it is named twice in one update: %w", ErrRefConflict)
		}
		if nested(other.Name, u.Name) || nested(u.Name, other.Name) {
			return fmt.Errorf("%s is in the same update: %w", other.Name, ErrRefConflict)
		}
	}
	t.moves = append(t.moves, &refMove{RefUpdate: u})
	return nil
}

func nested(dir, name string) bool { return strings.HasPrefix(name, dir+"/") }

// precheck finds what has moved already, before anything is written.
func (t *transaction) precheck() error {
	for _, m := range t.moves {
		if err := t.compareOne(m); err != nil {
			return err
		}
	}
	return nil
}

// store makes durable what the new values need, protected from pruning until
// the refs have moved. It comes before the locks: syncing may take longer than
// the tenth of a second that git waits for a ref.
func (t *transaction) store() error {
	var roots []tree.Hash
	for _, m := range t.moves {
		if !m.New.IsZero() {
			roots = append(roots, m.New)
		}
	}
	objects, err := t.refs.objects.pending.closure(roots)
	if err != nil {
		return fmt.Errorf("updating refs: %w", err)
	}
	for _, m := range t.moves {
		if err := t.checkTarget(m); err != nil {
			return err
		}
	}
	if len(objects) == 0 {
		return nil
	}
	t.claim = t.refs.locks.newClaim()
	t.keep, err = t.refs.objects.packs.writePack(objects, true, t.claim)
	t.stored = objects
	return err
}

func (t *transaction) checkTarget(m *refMove) error {
	if m.New.IsZero() {
		return nil
	}
	k, _, err := t.refs.objects.header(m.New)
	if err == nil && k != kindCommit && strings.HasPrefix(m.Name, "refs/heads/") {
		err = fmt.Errorf("%s is a %s, and a branch must name a commit", m.New, k)
	}
	if err != nil {
		return fmt.Errorf("updating %s: %w", m.Name, err)
	}
	return nil
}
