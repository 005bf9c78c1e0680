package gitstore

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// hasOurName reports whether transactions create and claim files of this name: locks, files that
// become locks, .keep files of packs, and unfinished packs.
func (c claimed) hasOurName(name string) bool {
	dir, base := path.Split(name)
	inPacks := dir == "objects/pack/"
	switch {
	case c.number == "":
		return inPacks && strings.HasPrefix(base, tempPrefix) || dir == locksDir
	case strings.HasSuffix(base, ".lock"):
		return true
	default:
		return inPacks && strings.HasPrefix(base, "pack-") && strings.HasSuffix(base, ".keep")
	}
}

// is reports whether the named file exists below root and is the claimed one.
func (c claimed) matches(root *os.Root, name string) bool {
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	if c.number == "" {
		return true
	}
	content, err := root.ReadFile(name)
	number, sum := identity(info, content)
	return err == nil && number == c.number && sum == c.sum
}

// visitDeadClaims calls visit for each claim of a dead process, with the claimed files that still
// exist, while it holds the claim's lock.
func visitDeadClaims(commonDir string, visit func(claim string, left []claimed)) {
	dir := claimsDir(commonDir)
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		return
	}
	root, err := os.OpenRoot(commonDir)
	if err != nil {
		return
	}
	defer root.Close()
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		path := filepath.Join(dir, e.Name())
		file, err := os.Open(path)
		if err != nil {
			continue
		}
		if tryHoldFile(file) {
			visit(path, readClaim(root, file))
		}
		_ = file.Close()
	}
}

// readClaim returns the files of a claim that are ours and still exist. Names cannot lead out
// of root, not even through links.
func readClaim(root *os.Root, file *os.File) []claimed {
	var left []claimed
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var c claimed
		var name string
		if _, err := fmt.Sscanf(lines.Text(), "%q %q %q", &c.number, &c.sum, &name); err != nil || path.Clean(name) != name {
			continue
		}
		if c.hasOurName(name) && c.matches(root, filepath.FromSlash(name)) {
			c.path = filepath.Join(root.Name(), filepath.FromSlash(name))
			left = append(left, c)
		}
	}
	return left
}

// removeDeadLocks removes files of dead processes: locks, .keep files and unfinished packs. Two
// concurrent calls never handle the same claim, because each claim is locked.
func (ls *Locks) removeDeadLocks() {
	visitDeadClaims(ls.place.commonDir, func(path string, left []claimed) {
		for _, c := range left {
			if err := ls.disk.Remove(c.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return // keep the claim for the next attempt
			}
		}
		_ = ls.disk.Remove(path)
	})
}
