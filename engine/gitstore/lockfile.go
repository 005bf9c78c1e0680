package gitstore

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// lockPatience bounds how long a held lock is waited for. Git waits 100 ms for a
// ref and 1 s for packed-refs; a repack on a busy machine needs the longer one.
const lockPatience = 2 * time.Second

// lockFile is Git's lock: <path>.lock, made exclusively, renamed over path to
// commit. The content is synced before the rename.
type lockFile struct {
	path string // of what is locked
	file *os.File
	// made are the folders that had to be made for it, and the one above them.
	made []string
}

// acquire makes the lock, waiting with growing, jittered pauses for one that is held.
func acquire(path string) (*lockFile, error) {
	name := path + ".lock"
	pause := time.Millisecond
	for deadline := time.Now().Add(lockPatience); ; {
		made := missingDirs(filepath.Dir(path))
		err := os.MkdirAll(filepath.Dir(path), 0o777)
		if err == nil {
			var f *os.File
			if f, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666); err == nil {
				return &lockFile{path: path, file: f, made: made}, nil
			}
		}
		// A folder may vanish between MkdirAll and OpenFile: its last ref was deleted.
		if !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if time.Now().After(deadline) {
			return nil, heldLock(name, err)
		}
		time.Sleep(pause/2 + rand.N(pause))
		pause = min(2*pause, 50*time.Millisecond)
	}
}

// missingDirs returns the folders that change when dir is made.
func missingDirs(dir string) []string {
	var out []string
	for !isDir(dir) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
		out = append(out, dir)
	}
	return out
}

func heldLock(name string, otherwise error) error {
	info, err := os.Lstat(name)
	if err != nil {
		return fmt.Errorf("locking %s: %w", strings.TrimSuffix(name, ".lock"), otherwise)
	}
	return &ErrLocked{Path: name, Age: max(0, time.Since(info.ModTime()))}
}

// write puts content into the lock file and syncs it.
func (l *lockFile) write(content string) error {
	_, err := l.file.WriteString(content)
	if err == nil {
		err = l.file.Sync()
	}
	return err
}

// close closes the file and keeps the lock.
func (l *lockFile) close() error {
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	return err
}

// commit moves the written content into place.
func (l *lockFile) commit() error {
	if err := l.close(); err != nil {
		return err
	}
	err := os.Rename(l.path+".lock", l.path)
	if err == nil {
		l.path = ""
	}
	return err
}

// release gives the lock up; after commit it does nothing.
func (l *lockFile) release() {
	if l.path == "" {
		return
	}
	l.close() //nolint:errcheck // nothing of it is kept
	os.Remove(l.path + ".lock")
	l.path = ""
}

// syncDir makes renames and removals in dir durable. Some systems cannot sync a
// folder; there the rename is as durable as it gets.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// clearEmptyDirs removes a folder that holds nothing but folders, which Git
// leaves where deleted refs were. It reports whether the path is free.
func clearEmptyDirs(path string) bool {
	entries, err := os.ReadDir(path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	for _, e := range entries {
		if !e.IsDir() || !clearEmptyDirs(filepath.Join(path, e.Name())) {
			return false
		}
	}
	return os.Remove(path) == nil
}
