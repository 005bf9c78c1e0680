package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// LastChanges returns for each path the newest commit on the first-parent line from tip
// that changed it. It finds all in one walk, whose cost depends on the size of the
// changes. Paths must not contain one another; paths that no commit ever had are left
// out.
func LastChanges(repo *gitstore.Repo, tip tree.Hash, paths []string) (map[string]gitstore.Outline, error) {
	wanted := make(map[string]bool, len(paths))
	for _, p := range paths {
		wanted[p] = true
	}
	dirs := tops(paths)
	if len(paths) <= few {
		dirs = paths
	}
	found := make(map[string]gitstore.Outline, len(paths))
	err := repo.Lineage(tip, func(c gitstore.Commit) (bool, error) {
		if len(wanted) == 0 {
			return false, nil
		}
		if len(c.Parents) == 0 { // the first commit introduced all of its files
			return false, begun(repo, c, wanted, found)
		}
		changes, err := changesOf(repo, c, dirs...)
		if gitstore.IsUnfit(err) { // the commit was blocked, and a later one reverted it
			return true, nil
		}
		for _, ch := range changes {
			if p, ok := above(wanted, ch.Path); ok {
				found[p] = c.Outline()
				delete(wanted, p)
			}
		}
		return err == nil, err
	})
	if err != nil {
		return nil, fmt.Errorf("look for the commits that changed %d paths: %w", len(paths), err)
	}
	return found, nil
}

// begun records which of the wanted paths the first commit introduced: usually most of
// them, so its tree is opened once.
func begun(repo *gitstore.Repo, c gitstore.Commit, wanted map[string]bool, found map[string]gitstore.Outline) error {
	view, err := repo.Snapshot(c.Hash)
	if err != nil {
		return err
	}
	for p := range wanted {
		switch _, err := view.Lookup(p); {
		case err == nil:
			found[p] = c.Outline()
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	return nil
}

// few is the largest number of paths for single lookups, which are then cheaper than
// comparing the folders.
const few = 8

// Changing returns the commits on the first-parent line from tip that changed a
// file or folder, newest first.
func Changing(repo *gitstore.Repo, tip tree.Hash, path string) ([]tree.Hash, error) {
	var out []tree.Hash
	var newer tree.Hash // its content at path is known
	var now tree.Entry
	err := repo.Lineage(tip, func(c gitstore.Commit) (bool, error) {
		e, err := entryAt(repo, c.Tree, path)
		if gitstore.IsBadObject(err) { // as above
			return true, nil
		}
		if err != nil {
			return false, err
		}
		if !newer.IsZero() && e != now {
			out = append(out, newer)
		}
		newer, now = c.Hash, e
		return true, nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for the commits that changed %s: %w", path, err)
	}
	if now != (tree.Entry{}) {
		out = append(out, newer)
	}
	return out, nil
}

// entryAt returns the zero Entry if the commit has nothing at path.
func entryAt(repo *gitstore.Repo, commit tree.Hash, path string) (tree.Entry, error) {
	view, err := repo.Snapshot(commit)
	if err != nil {
		return tree.Entry{}, err
	}
	e, err := view.Lookup(path)
	if errors.Is(err, fs.ErrNotExist) {
		return tree.Entry{}, nil
	}
	return e, err
}

// changesOf returns the changes of a commit against its first parent.
func changesOf(repo *gitstore.Repo, c gitstore.Commit, dirs ...string) ([]tree.Change, error) {
	var parent tree.Hash
	if len(c.Parents) > 0 {
		parent = c.Parents[0]
	}
	before, err := repo.Snapshot(parent)
	if err != nil {
		return nil, err
	}
	after, err := repo.Snapshot(c.Hash)
	if err != nil {
		return nil, err
	}
	return tree.Diff(before, after, dirs...)
}

// tops returns the first folders of paths, each once.
func tops(paths []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, p := range paths {
		top, _, _ := strings.Cut(p, "/")
		if !seen[top] {
			seen[top] = true
			out = append(out, top)
		}
	}
	return out
}

// above returns the wanted path that is file or a folder above it.
func above(wanted map[string]bool, file string) (string, bool) {
	for i := 0; i <= len(file); i++ {
		if (i == len(file) || file[i] == '/') && wanted[file[:i]] {
			return file[:i], true
		}
	}
	return "", false
}
