package gitstore

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/order"
)

// Lock describes a lock file that exists.
type Lock struct {
	Path string
	// Age is the time since its creation. Locks are held for milliseconds; one that is minutes
	// old was left by a dead process.
	Age time.Duration
}

// Locks creates Git's lock files and removes those of dead processes.
type Locks struct {
	place Place
	disk  Disk
}

// StaleLocks lists all lock files of refs, packed-refs, HEAD, index and configuration, and
// assent's own .keep files, unfinished packs and unlinked lock files, oldest first. The caller
// decides which are too old.
func (ls *Locks) StaleLocks() ([]Lock, error) {
	var found []Lock
	dirs := []string{ls.place.commonDir}
	if ls.place.gitDir != ls.place.commonDir {
		dirs = append(dirs, ls.place.gitDir)
	}
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, fmt.Errorf("looking for locks: %w", err)
		}
		for _, e := range entries {
			found = addLock(found, filepath.Join(dir, e.Name()), e)
		}
		err = filepath.WalkDir(filepath.Join(dir, "refs"), func(path string, d fs.DirEntry, err error) error {
			if err != nil && !absent(err) {
				return err
			}
			found = addLock(found, path, d)
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("looking for locks: %w", err)
		}
	}
	found = append(append(found, ls.unfinishedPacks()...), ls.unlinkedLocks()...)
	order.Sort(found, func(a, b Lock) int { return int(b.Age - a.Age) })
	return found, nil
}

func addLock(found []Lock, path string, d fs.DirEntry) []Lock {
	if d == nil || d.IsDir() || !strings.HasSuffix(path, ".lock") {
		return found
	}
	info, err := d.Info()
	if err != nil {
		return found // released since it was listed
	}
	return append(found, Lock{Path: path, Age: time.Since(info.ModTime())})
}

// unlinkedLocks finds files of a killed process that were not linked as locks yet.
func (ls *Locks) unlinkedLocks() []Lock {
	dir := filepath.Join(ls.place.commonDir, filepath.FromSlash(locksDir))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var found []Lock
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			found = append(found, Lock{Path: filepath.Join(dir, e.Name()), Age: time.Since(info.ModTime())})
		}
	}
	return found
}

// unfinishedPacks finds .keep files and unfinished packs of killed processes.
func (ls *Locks) unfinishedPacks() []Lock {
	dir := filepath.Join(ls.place.commonDir, "objects", "pack")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var found []Lock
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if !strings.HasPrefix(e.Name(), tempPrefix) && !isOurKeep(path) {
			continue
		}
		if info, err := e.Info(); err == nil {
			found = append(found, Lock{Path: path, Age: time.Since(info.ModTime())})
		}
	}
	return found
}

func isOurKeep(path string) bool {
	if filepath.Ext(path) != ".keep" {
		return false
	}
	note, err := os.ReadFile(path)
	return err == nil && string(note) == keepNote
}
