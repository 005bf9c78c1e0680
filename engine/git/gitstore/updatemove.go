package gitstore

import (
	"fmt"
	"path/filepath"
)

// prepare writes and syncs everything that can still fail for lack of space or permission: lock
// files, reflogs, the new packed-refs.
func (t *transaction) prepare() error {
	gone := map[string]bool{}
	for _, m := range t.moves {
		if m.New.IsZero() {
			gone[m.Name] = true
			continue
		}
		err := m.lock.write(m.New.String() + "\n")
		if err == nil {
			err = m.lock.close()
		}
		if err == nil {
			m.logs, err = t.refs.openReflogs(m.Name)
		}
		if err != nil {
			return fmt.Errorf("updating %s: %w", m.Name, err)
		}
	}
	return t.preparePacked(gone)
}

// preparePacked locks packed-refs and writes it without the deleted refs. It holds the lock
// even if none of them is packed, because a concurrent `git pack-refs` could otherwise bring a
// deleted ref back.
func (t *transaction) preparePacked(gone map[string]bool) error {
	if len(gone) == 0 {
		return nil
	}
	lock, err := t.refs.locks.acquire(filepath.Join(t.refs.place.commonDir, "packed-refs"), t.claim)
	if err != nil {
		return fmt.Errorf("deleting refs: %w", err)
	}
	t.packed = lock
	t.refs.packed.forget()
	packed, err := t.refs.packed.load(t.refs.place.commonDir)
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

// move gives refs their new values, each durable before the next: after a power cut a reader
// must never see a later move without the earlier ones.
func (t *transaction) move() error {
	for _, m := range t.moves {
		if m.New.IsZero() {
			break
		}
		if err := t.moveOne(m); err != nil {
			return fmt.Errorf("updating %s: %w", m.Name, err)
		}
	}
	t.refs.objects.pending.drop(t.stored)
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
	for _, dir := range append(m.lock.made, filepath.Dir(t.refs.refPath(m.Name))) {
		// `git pack-refs` may have removed the folder; the ref is then in packed-refs.
		if err := t.refs.disk.SyncDir(dir); err != nil && !absent(err) {
			return fmt.Errorf("the ref has moved, but may not survive a power cut: %w", err)
		}
	}
	return nil
}

// remove deletes refs. A ref leaves packed-refs before its loose file is removed, so that its
// old packed value never becomes visible.
func (t *transaction) remove() error {
	disk := t.refs.disk
	if t.packed != nil && t.packed.file == nil { // packed-refs was rewritten
		err := t.packed.commit()
		if err == nil {
			err = disk.SyncDir(t.refs.place.commonDir)
		}
		if err != nil {
			return fmt.Errorf("deleting refs: %w", err)
		}
	}
	dirs := map[string]bool{}
	for _, m := range t.moves {
		if !m.New.IsZero() {
			continue
		}
		path := t.refs.refPath(m.Name)
		if err := disk.Remove(path); err != nil && !absent(err) && !isDir(path) {
			return fmt.Errorf("deleting %s: %w", m.Name, err)
		}
		_ = disk.Remove(t.refs.logPath(m.Name)) // as in Git, a log without a ref is harmless
		dirs[filepath.Dir(path)] = true
	}
	for dir := range dirs {
		if err := disk.SyncDir(dir); err != nil && !absent(err) {
			return fmt.Errorf("deleting refs: the refs are deleted, but may come back after a power cut: %w", err)
		}
	}
	return nil
}

// release releases locks and pack protection, and removes empty folders of deleted refs.
func (t *transaction) release() {
	if t.packed != nil {
		t.packed.release()
	}
	for _, m := range t.moves {
		if m.lock != nil {
			m.lock.release()
		}
		for _, l := range m.logs {
			l.close()
		}
		if m.New.IsZero() {
			t.refs.pruneEmptyParents(t.refs.refPath(m.Name), "refs")
			t.refs.pruneEmptyParents(t.refs.logPath(m.Name), "logs/refs")
		}
	}
	if t.keep != nil {
		t.keep()
	}
	t.claim.release()
}

// pruneEmptyParents removes the empty folders above path, except top and its direct children.
func (s *RefStore) pruneEmptyParents(path, top string) {
	keep := filepath.Join(s.place.commonDir, filepath.FromSlash(top))
	for dir := filepath.Dir(path); filepath.Dir(dir) != keep && len(dir) > len(keep); dir = filepath.Dir(dir) {
		if s.disk.Remove(dir) != nil {
			return
		}
	}
}
