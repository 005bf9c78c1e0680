package gitstore

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Time to wait for a held lock: lockPatience for each holder, since a lock that changes hands
// is only busy, and lockPatienceInAll in total. Git waits 100 ms for a ref and 1 s for
// packed-refs; a repack on a busy machine needs more.
const (
	lockPatience      = 2 * time.Second
	lockPatienceInAll = 30 * time.Second
)

// lockFile is Git's lock: <path>.lock, created exclusively and renamed over path to commit. The
// content is synced before the rename.
type lockFile struct {
	disk  Disk
	claim *claim
	path  string // path of the locked file
	file  File   // nil once closed
	// made lists the folders in which folders were created for the lock.
	made []string
}

// acquire creates the lock. It waits for a held one with growing, jittered pauses and meanwhile
// removes locks of dead processes.
func (ls *Locks) acquire(path string, claim *claim) (*lockFile, error) {
	l := &lockFile{disk: ls.disk, claim: claim, path: path}
	pause := time.Millisecond
	var held fs.FileInfo // the current holder's lock file, if known
	began := time.Now()
	for since := began; ; {
		err := l.make()
		if err == nil {
			return l, nil
		}
		// A folder may vanish before its file is created, when its last ref is deleted.
		if !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if by, err := os.Lstat(l.name()); err == nil && (held == nil || !os.SameFile(by, held) || !by.ModTime().Equal(held.ModTime())) {
			held, since = by, time.Now()
		}
		if time.Since(since) > lockPatience || time.Since(began) > lockPatienceInAll {
			return nil, heldLock(l.name(), err)
		}
		ls.removeDeadLocks()
		time.Sleep(pause/2 + rand.N(pause))
		pause = min(2*pause, 50*time.Millisecond)
	}
}

func (l *lockFile) name() string { return l.path + ".lock" }

func (l *lockFile) make() error {
	made, err := makeDirs(l.disk, filepath.Dir(l.path))
	l.made = append(l.made, made...)
	if err != nil {
		return err
	}
	if l.claim != nil {
		if l.file, err = l.claim.create(l.name()); !errors.Is(err, errNoLinks) {
			return err
		}
	}
	if l.file, err = l.disk.OpenFile(l.name(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666); err != nil {
		return err
	}
	l.claim.addEmpty(l.name(), l.file)
	return nil
}

func heldLock(name string, otherwise error) error {
	info, err := os.Lstat(name)
	if err != nil {
		return fmt.Errorf("locking %s: %w", strings.TrimSuffix(name, ".lock"), otherwise)
	}
	return &ErrLocked{Path: name, Age: max(0, time.Since(info.ModTime()))}
}

// write writes and syncs the content of the lock file.
func (l *lockFile) write(content string) error {
	l.claim.addContent(l.name(), l.file, content)
	_, err := l.file.Write([]byte(content))
	if err == nil {
		err = l.file.Sync()
	}
	return err
}

// close closes the file without releasing the lock.
func (l *lockFile) close() error {
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	return err
}

// commit renames the written file into place.
func (l *lockFile) commit() error {
	if err := l.close(); err != nil {
		return err
	}
	err := l.disk.Rename(l.name(), l.path)
	if err == nil {
		l.path = ""
	}
	return err
}

// release removes the lock; after commit it does nothing.
func (l *lockFile) release() {
	if l.path == "" {
		return
	}
	l.close() //nolint:errcheck // nothing of it is kept
	l.claim.remove(l.disk, l.name())
	l.path = ""
}

// clearEmptyDirs removes a folder that contains only folders, which Git leaves after deleting
// refs. It reports whether the path is free.
func clearEmptyDirs(disk Disk, path string) bool {
	entries, err := os.ReadDir(path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	for _, e := range entries {
		if !e.IsDir() || !clearEmptyDirs(disk, filepath.Join(path, e.Name())) {
			return false
		}
	}
	return disk.Remove(path) == nil
}
