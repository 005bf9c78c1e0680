package gitstore

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/assent-dev/assent/engine/tree"
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
// Errors: *ErrStale when a ref is not at Old, *ErrLocked when somebody holds a
// lock for longer than a short while, ErrBadName, ErrRefConflict, ErrNoObject.
func (r *Repo) Update(updates ...RefUpdate) error {
	r.updates.Lock()
	defer r.updates.Unlock()
	t := transaction{repo: r}
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
		_ = r.compact()
	}
	return nil
}

func (t *transaction) run() error {
	defer t.release()
	for _, step := range []func() error{t.precheck, t.store, t.lock, t.compare, t.prepare, t.move, t.remove} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// transaction is one Update: its refs, the locks it holds, what to undo.
type transaction struct {
	repo   *Repo
	refs   []*refMove
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
	if n := len(t.refs); n > 0 && t.refs[n-1].New.IsZero() && !u.New.IsZero() {
		return fmt.Errorf("refs that are deleted come last in an update: %w", ErrRefConflict)
	}
	for _, other := range t.refs {
		if other.Name == u.Name {
			return fmt.Errorf("it is named twice in one update: %w", ErrRefConflict)
		}
		if nested(other.Name, u.Name) || nested(u.Name, other.Name) {
			return fmt.Errorf("%s is in the same update: %w", other.Name, ErrRefConflict)
		}
	}
	t.refs = append(t.refs, &refMove{RefUpdate: u})
	return nil
}

func nested(dir, name string) bool { return strings.HasPrefix(name, dir+"/") }

// precheck finds what has moved already, before anything is written.
func (t *transaction) precheck() error {
	for _, m := range t.refs {
		if err := t.compareOne(m); err != nil {
			return err
		}
	}
	return nil
}

// lock takes the locks in order of names, so that two transactions never wait
// for each other.
func (t *transaction) lock() error {
	if t.claim == nil {
		t.claim = t.repo.newClaim()
	}
	sorted := slices.Clone(t.refs)
	slices.SortFunc(sorted, func(a, b *refMove) int { return strings.Compare(a.Name, b.Name) })
	for _, m := range sorted {
		path := t.repo.refPath(m.Name)
		lock, err := t.repo.acquire(path, t.claim)
		if err != nil {
			if errors.Is(err, syscall.ENOTDIR) {
				return fmt.Errorf("%s: a ref of the name of its folder exists; delete that one or choose another name: %w", m.Name, ErrRefConflict)
			}
			return fmt.Errorf("updating %s: %w", m.Name, err)
		}
		m.lock = lock
		if !m.New.IsZero() && isDir(path) && !clearEmptyDirs(t.repo.disk, path) {
			return fmt.Errorf("%s: refs below %s/ exist; delete those or choose another name: %w", m.Name, m.Name, ErrRefConflict)
		}
	}
	return nil
}

// compare reads every ref again, now that nobody else can move it.
func (t *transaction) compare() error {
	for _, m := range t.refs {
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
	for _, m := range t.refs {
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
	ref, err := t.repo.rawRef(m.Name)
	if err != nil && !errors.Is(err, ErrNoRef) {
		return fmt.Errorf("updating %s: %w", m.Name, err)
	}
	if ref.Symbolic != "" {
		return fmt.Errorf("%s only follows %s; make it a branch of its own with `git symbolic-ref --delete %[1]s && git update-ref %[1]s %[2]s`: %[3]w", m.Name, ref.Symbolic, ErrSymbolic)
	}
	if !m.Any && ref.Hash != m.Old {
		return &ErrStale{Ref: m.Name, Want: m.Old, Got: ref.Hash}
	}
	m.was = ref.Hash
	return nil
}

// packedConflict finds packed refs that a new ref would be a folder of, or the
// other way round; for loose ones the file system does.
func (t *transaction) packedConflict(name string) error {
	packed, err := t.repo.packed.load(t.repo.commonDir)
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

// store makes durable what the new values need, protected from pruning until
// the refs have moved. It comes before the locks: syncing may take longer than
// the tenth of a second that git waits for a ref.
func (t *transaction) store() error {
	var roots []tree.Hash
	for _, m := range t.refs {
		if !m.New.IsZero() {
			roots = append(roots, m.New)
		}
	}
	objects, err := t.repo.pending.closure(roots)
	if err != nil {
		return fmt.Errorf("updating refs: %w", err)
	}
	for _, m := range t.refs {
		if err := t.checkTarget(m); err != nil {
			return err
		}
	}
	if len(objects) == 0 {
		return nil
	}
	t.claim = t.repo.newClaim()
	t.keep, err = t.repo.writePack(objects, true, t.claim)
	t.stored = objects
	return err
}

func (t *transaction) checkTarget(m *refMove) error {
	if m.New.IsZero() {
		return nil
	}
	k, _, err := t.repo.header(m.New)
	if err == nil && k != kindCommit && strings.HasPrefix(m.Name, "refs/heads/") {
		err = fmt.Errorf("%s is a %s, and a branch must name a commit", m.New, k)
	}
	if err != nil {
		return fmt.Errorf("updating %s: %w", m.Name, err)
	}
	return nil
}

// prepare writes and syncs everything that can still fail for want of space or
// permission: lock files, reflogs, the new packed-refs.
func (t *transaction) prepare() error {
	gone := map[string]bool{}
	for _, m := range t.refs {
		if m.New.IsZero() {
			gone[m.Name] = true
			continue
		}
		err := m.lock.write(m.New.String() + "\n")
		if err == nil {
			err = m.lock.close()
		}
		if err == nil {
			m.logs, err = t.repo.openReflogs(m.Name)
		}
		if err != nil {
			return fmt.Errorf("updating %s: %w", m.Name, err)
		}
	}
	return t.preparePacked(gone)
}

// preparePacked locks packed-refs and writes it without the deleted refs. The
// lock is held even when none of them is packed: otherwise a concurrent
// `git pack-refs` could bring a deleted ref back.
func (t *transaction) preparePacked(gone map[string]bool) error {
	if len(gone) == 0 {
		return nil
	}
	lock, err := t.repo.acquire(filepath.Join(t.repo.commonDir, "packed-refs"), t.claim)
	if err != nil {
		return fmt.Errorf("deleting refs: %w", err)
	}
	t.packed = lock
	packed, err := t.repo.packed.load(t.repo.commonDir)
	if err != nil {
		return err
	}
	for name := range gone {
		if _, ok := packed.find(name); ok {
			if err := lock.write(packed.without(gone)); err != nil {
				return fmt.Errorf("deleting refs: %w", err)
			}
			return lock.close()
		}
	}
	return nil
}

// move gives refs their new values, each durable before the next one: a reader
// after a power cut must never see a later move without the earlier ones.
func (t *transaction) move() error {
	for _, m := range t.refs {
		if m.New.IsZero() {
			break
		}
		if err := t.moveOne(m); err != nil {
			return fmt.Errorf("updating %s: %w", m.Name, err)
		}
	}
	t.repo.pending.drop(t.stored)
	return nil
}

func (t *transaction) moveOne(m *refMove) error {
	for _, l := range m.logs {
		if err := l.append(m.was, m.New, m.Reflog); err != nil {
			return err
		}
	}
	if err := m.lock.commit(); err != nil {
		return err
	}
	for _, dir := range append(m.lock.made, filepath.Dir(t.repo.refPath(m.Name))) {
		// One that is gone was emptied by `git pack-refs`, which keeps the ref elsewhere.
		if err := t.repo.disk.SyncDir(dir); err != nil && !absent(err) {
			return fmt.Errorf("it has moved, but may not survive a power cut: %w", err)
		}
	}
	return nil
}

// remove deletes refs. A deleted ref leaves packed-refs before its loose file
// goes, so that its old value never shows through.
func (t *transaction) remove() error {
	disk := t.repo.disk
	if t.packed != nil && t.packed.file == nil { // it was written
		err := t.packed.commit()
		if err == nil {
			err = disk.SyncDir(t.repo.commonDir)
		}
		if err != nil {
			return fmt.Errorf("deleting refs: %w", err)
		}
	}
	dirs := map[string]bool{}
	for _, m := range t.refs {
		if !m.New.IsZero() {
			continue
		}
		path := t.repo.refPath(m.Name)
		if err := disk.Remove(path); err != nil && !absent(err) && !isDir(path) {
			return fmt.Errorf("deleting %s: %w", m.Name, err)
		}
		_ = disk.Remove(t.repo.logPath(m.Name)) // as in Git: a log without a ref is no harm
		dirs[filepath.Dir(path)] = true
	}
	for dir := range dirs {
		if err := disk.SyncDir(dir); err != nil && !absent(err) {
			return fmt.Errorf("deleting refs: they are gone, but may come back after a power cut: %w", err)
		}
	}
	return nil
}

// release gives up locks and protection, and tidies folders of deleted refs.
func (t *transaction) release() {
	if t.packed != nil {
		t.packed.release()
	}
	for _, m := range t.refs {
		if m.lock != nil {
			m.lock.release()
		}
		for _, l := range m.logs {
			l.close()
		}
		if m.New.IsZero() {
			t.repo.pruneEmptyParents(t.repo.refPath(m.Name), "refs")
			t.repo.pruneEmptyParents(t.repo.logPath(m.Name), "logs/refs")
		}
	}
	if t.keep != nil {
		t.keep()
	}
	t.claim.release()
}

// pruneEmptyParents removes the folders above path that are empty now, keeping
// top and what is directly below it.
func (r *Repo) pruneEmptyParents(path, top string) {
	keep := filepath.Join(r.commonDir, filepath.FromSlash(top))
	for dir := filepath.Dir(path); filepath.Dir(dir) != keep && len(dir) > len(keep); dir = filepath.Dir(dir) {
		if r.disk.Remove(dir) != nil {
			return
		}
	}
}
