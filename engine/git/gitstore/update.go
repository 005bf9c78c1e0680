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
	// Old is the required current value; zero means that the ref must not exist.
	Old tree.Hash
	// New is the new value; zero deletes the ref.
	New tree.Hash
	// Reflog is the reason recorded in the reflog.
	Reflog string
	// Any moves the ref from any value; Old is ignored.
	Any bool
	// Provided, if not nil, is called once all refs of the update are locked and have their
	// expected values. Its error ends the update before anything moves. It checks conditions
	// beyond ref values and must be quick.
	Provided func() error
}

// Update moves refs, all or none of them with respect to other writers: every ref is locked and
// compared before the first one moves. Refs move in the given order, each durable before the
// next, so a kill or power cut leaves a prefix of the update. Deleted refs come last, and a cut
// may leave any of them. All objects that the new values need are durable first. When Update
// returns nil, everything is durable.
//
// Errors: *ErrStale if a ref is not at Old, *ErrLocked if another process holds a lock too
// long, ErrBadName, ErrRefConflict, ErrNoObject.
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
		// The refs have moved, so an error here must not look as if they had not. The next
		// update tries again, and `git gc` also joins packs.
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

// transaction is the state of one Update: its refs, its locks, and the cleanup.
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
		return fmt.Errorf("deleted refs must come last in an update: %w", ErrRefConflict)
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

// precheck finds refs that have already moved, before anything is written.
func (t *transaction) precheck() error {
	for _, m := range t.moves {
		if err := t.compareOne(m); err != nil {
			return err
		}
	}
	return nil
}

// store makes the objects of the new values durable, protected from pruning until the refs have
// moved. It runs before the locks are taken: syncing may take longer than the tenth of a second
// that git waits for a ref.
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
