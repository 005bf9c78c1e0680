package gitstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Worktree is one checkout of a repository.
type Worktree struct {
	Root   string
	GitDir string
	Head   Head
}

// Checkouts reads the worktrees of a repository, and refreshes them after a branch moved.
type Checkouts struct {
	place    Place
	disk     Disk
	settings *Settings
	objects  *Objects
	history  *History
	refs     *RefStore
}

// Worktrees lists the main worktree, unless bare, and the linked ones whose folders exist.
func (co *Checkouts) Worktrees() ([]Worktree, error) {
	var out []Worktree
	dirs := []string{co.place.commonDir}
	entries, err := os.ReadDir(filepath.Join(co.place.commonDir, "worktrees"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("listing worktrees: %w", err)
	}
	for _, e := range entries {
		dirs = append(dirs, filepath.Join(co.place.commonDir, "worktrees", e.Name()))
	}
	for _, dir := range dirs {
		if !isGitDir(dir) {
			continue
		}
		at, refs := co.place, co.refs
		if dir != co.place.gitDir {
			root := ""
			if dir == co.place.commonDir {
				root = co.mainRoot()
			}
			other, err := openAt(co.disk, dir, root)
			if err != nil {
				return nil, err
			}
			at, refs = other.Place, other.RefStore
		}
		if at.root == "" || !isDir(at.root) {
			continue
		}
		// The folder must refer back to its Git folder: files in the Git folder alone must not
		// turn any folder into a checkout that receives files of others.
		if dir != co.place.commonDir && !linksBack(at.root, dir) {
			continue
		}
		head, err := refs.Head()
		if err != nil {
			return nil, err
		}
		out = append(out, Worktree{Root: at.root, GitDir: dir, Head: head})
	}
	return out, nil
}

// linksBack reports whether root is a checkout of the Git folder dir: its .git is that folder
// or names it.
func linksBack(root, dir string) bool {
	if sameFile(filepath.Join(root, ".git"), dir) {
		return true
	}
	data, err := os.ReadFile(filepath.Join(root, ".git"))
	at, linked := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir: ")
	if err != nil || !linked {
		return false
	}
	if !filepath.IsAbs(at) {
		at = filepath.Join(root, at)
	}
	return sameFile(at, dir)
}

func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	second, failed := os.Stat(b)
	return err == nil && failed == nil && os.SameFile(first, second)
}

// mainRoot finds the main worktree from a linked one: the parent of the common folder if that
// is called .git. For a submodule core.worktree names it, which openAt reads.
func (co *Checkouts) mainRoot() string {
	if filepath.Base(co.place.commonDir) == ".git" && !co.settings.config.bool("core.bare", false) {
		return filepath.Dir(co.place.commonDir)
	}
	return ""
}
