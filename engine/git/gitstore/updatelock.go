package gitstore

import (
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
)

// lock takes the locks in order of names, so that two transactions never deadlock.
func (t *transaction) lock() error {
	if t.claim == nil {
		t.claim = t.refs.locks.newClaim()
	}
	sorted := slices.Clone(t.moves)
	order.Sort(sorted, func(a, b *refMove) int { return strings.Compare(a.Name, b.Name) })
	for _, m := range sorted {
		path := t.refs.refPath(m.Name)
		lock, err := t.refs.locks.acquire(path, t.claim)
		if err != nil {
			if errors.Is(err, syscall.ENOTDIR) {
				return fmt.Errorf("%s: it conflicts with the ref %s; rename or delete that one: %w", m.Name, t.refs.refAbove(m.Name), ErrRefConflict)
			}
			return fmt.Errorf("updating %s: %w", m.Name, err)
		}
		m.lock = lock
		if !m.New.IsZero() && isDir(path) && !clearEmptyDirs(t.refs.disk, path) {
			return fmt.Errorf("%s: refs below %s/ exist; delete those or choose another name: %w", m.Name, m.Name, ErrRefConflict)
		}
	}
	return nil
}

// refAbove returns the ref whose file blocks a folder that the named ref needs.
func (s *RefStore) refAbove(name string) string {
	above := path.Dir(name)
	for {
		if _, err := os.Stat(s.refPath(above)); err == nil || above == "." {
			return above
		}
		above = path.Dir(above)
	}
}

// compare reads every ref again, under the locks.
func (t *transaction) compare() error {
	t.refs.packed.forget()
	for _, m := range t.moves {
		if err := t.compareOne(m); err != nil {
			return err
		}
		if m.New.IsZero() {
			continue
		}
		if err := t.packedConflict(m.Name); err != nil {
			return err
		}
	}
	for _, m := range t.moves {
		if m.Provided == nil {
			continue
		}
		if err := m.Provided(); err != nil {
			return fmt.Errorf("updating %s: %w", m.Name, err)
		}
	}
	return nil
}

func (t *transaction) compareOne(m *refMove) error {
	ref, err := t.refs.rawRef(m.Name)
	if err != nil && !errors.Is(err, ErrNoRef) {
		return fmt.Errorf("updating %s: %w", m.Name, err)
	}
	if ref.Symbolic != "" {
		return fmt.Errorf("%s is a symbolic ref to %s; make it a branch with `git symbolic-ref --delete %[1]s && git update-ref %[1]s %[3]s`: %[4]w", names.ShellWord(m.Name), ref.Symbolic, names.ForShell(ref.Symbolic), ErrSymbolic)
	}
	//defence:refs-compare-and-swap
	if !m.Any && ref.Hash != m.Old {
		return &ErrStale{Ref: m.Name, Want: m.Old, Got: ref.Hash}
	}
	m.was = ref.Hash
	return nil
}

// packedConflict finds packed refs that contain, or are contained in, the path of a new ref.
// The file system detects this for loose refs.
func (t *transaction) packedConflict(name string) error {
	packed, err := t.refs.packed.load(t.refs.place.commonDir)
	if err != nil {
		return err
	}
	for other := range packed.from(name + "/") {
		return fmt.Errorf("%s: %s exists; delete that one or choose another name: %w", name, other, ErrRefConflict)
	}
	for dir := name; ; {
		i := strings.LastIndexByte(dir, '/')
		if i < 0 {
			return nil
		}
		dir = dir[:i]
		if _, ok := packed.find(dir); ok {
			return fmt.Errorf("%s: %s exists; delete that one or choose another name: %w", name, dir, ErrRefConflict)
		}
	}
}
