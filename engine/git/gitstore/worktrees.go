package gitstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Worktree is one folder in which a person works.
type Worktree struct {
	Root   string
	GitDir string
	Head   Head
}

// Worktrees lists the main worktree (unless bare) and the linked ones whose
// folders exist.
func (r *Repo) Worktrees() ([]Worktree, error) {
	var out []Worktree
	dirs := []string{r.commonDir}
	entries, err := os.ReadDir(filepath.Join(r.commonDir, "worktrees"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("listing worktrees: %w", err)
	}
	for _, e := range entries {
		dirs = append(dirs, filepath.Join(r.commonDir, "worktrees", e.Name()))
	}
	for _, dir := range dirs {
		if !isGitDir(dir) {
			continue
		}
		at := r
		if dir != r.gitDir {
			root := ""
			if dir == r.commonDir {
				root = r.mainRoot()
			}
			if at, err = openAt(r.disk, dir, root); err != nil {
				return nil, err
			}
		}
		if at.root == "" || !isDir(at.root) {
			continue
		}
		// A worktree is one only if its folder says so as well: files in the Git folder alone
		// must not make any folder a checkout, into which others' files are written.
		if dir != r.commonDir && !linksBack(at.root, dir) {
			continue
		}
		head, err := at.Head()
		if err != nil {
			return nil, err
		}
		out = append(out, Worktree{Root: at.root, GitDir: dir, Head: head})
	}
	return out, nil
}

// linksBack reports whether the folder root is a checkout whose Git folder is dir.
func linksBack(root, dir string) bool {
	data, err := os.ReadFile(filepath.Join(root, ".git"))
	at, linked := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir: ")
	if err != nil || !linked {
		return false
	}
	if !filepath.IsAbs(at) {
		at = filepath.Join(root, at)
	}
	theirs, err := os.Stat(at)
	if err != nil {
		return false
	}
	ours, err := os.Stat(dir)
	return err == nil && os.SameFile(theirs, ours)
}

// mainRoot finds the main worktree from a linked one: the folder that holds the
// common folder as .git. A submodule's is named by core.worktree instead, which
// openAt reads.
func (r *Repo) mainRoot() string {
	if filepath.Base(r.commonDir) == ".git" && !r.config.bool("core.bare", false) {
		return filepath.Dir(r.commonDir)
	}
	return ""
}
