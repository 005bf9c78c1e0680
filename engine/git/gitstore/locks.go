package gitstore

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Lock is a lock file that was found.
type Lock struct {
	Path string
	// Age is how long ago it was made. Locks are held for milliseconds; one that
	// is minutes old was left by a process that died.
	Age time.Duration
}

// Locks takes Git's lock files and clears away those of dead processes.
type Locks struct {
	place Place
	disk  Disk
}

// StaleLocks lists all lock files of refs, packed-refs, HEAD, index and
// configuration, and our own .keep files, unfinished packs and what was to be a lock,
// oldest first. Which of them are too old is the caller's decision.
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
	found = append(append(found, ls.forgottenPacks()...), ls.forgottenFirsts()...)
	slices.SortFunc(found, func(a, b Lock) int { return int(b.Age - a.Age) })
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

// forgottenFirsts finds what a killed process made to be a lock and could not claim.
func (ls *Locks) forgottenFirsts() []Lock {
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

// forgottenPacks finds what a killed process left beside the packs.
func (ls *Locks) forgottenPacks() []Lock {
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
