package workspace

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// Unproposed is a commit on main that changed files which clients obey. No proposal can: the gate
// judged none of it, and checkouts show it.
type Unproposed struct {
	Commit tree.Hash `json:"commit"`
	Author string    `json:"author"`
	Paths  []string  `json:"paths"`
}

// maxUnproposed bounds the commits of main that are looked at one by one.
const maxUnproposed = 10_000

// ListUnproposed lists the commits after since (after genesis if zero) that changed client files,
// newest first. It considers the files in which main differs from since. It reads only the names
// at the root, so its cost does not depend on the other content of main.
func ListUnproposed(ctx context.Context, s Session, since tree.Hash) (out []Unproposed, err error) {
	if s.Workspace == nil || s.Genesis.IsZero() || s.Main.IsZero() {
		return nil, nil
	}
	if since.IsZero() {
		since = s.Genesis
	}
	paths, err := s.History().clientFiles(since, s.Main)
	if err == nil {
		paths, err = s.History().changedFiles(since, s.Main, paths)
	}
	if err != nil || len(paths) == 0 {
		return nil, err
	}
	var c gitstore.Commit
	seen, cut := 0, false
	err = s.Repo.Lineage(s.Main, func(before gitstore.Commit) (bool, error) {
		if c.Hash.IsZero() {
			c = before
			return c.Hash != since, nil
		}
		changed, err := s.History().changedFiles(before.Tree, c.Tree, paths)
		if err != nil {
			return false, err
		}
		//defence:client-files-are-named
		if len(changed) > 0 {
			out = append(out, Unproposed{Commit: c.Hash, Author: c.Author.Name + " <" + c.Author.Email + ">", Paths: changed})
		}
		c = before
		seen++
		cut = seen == maxUnproposed && before.Hash != since
		return before.Hash != since && !cut, ctx.Err()
	})
	//defence:client-files-are-named-at-the-bound
	if cut && err == nil {
		return unnamed(s, out, c, since, paths)
	}
	return out, err
}

// unnamed adds the oldest commit that was looked at if it holds client files otherwise than since:
// some commit below it changed them.
func unnamed(s Session, out []Unproposed, oldest gitstore.Commit, since tree.Hash, paths []string) ([]Unproposed, error) {
	changed, err := s.History().changedFiles(since, oldest.Hash, paths)
	if err == nil && len(changed) > 0 {
		out = append(out, Unproposed{Commit: oldest.Hash, Author: "others before " + oldest.Author.Name + " <" + oldest.Author.Email + ">", Paths: changed})
	}
	return out, err
}

// clientFiles returns the names in two commits, at the root and of Copilot, that clients obey, sorted; none of a
// commit that cannot be read.
func (h History) clientFiles(commits ...tree.Hash) (out []string, err error) {
	for _, c := range commits {
		view, err := h.Repo.Snapshot(c)
		var root []tree.Entry
		if err == nil {
			root, err = view.List("")
		}
		if err != nil && !gitstore.IsBadObject(err) {
			return nil, err //nolint:wrapcheck // the error of the view names the commit
		}
		for _, e := range root {
			if names.ClientFile(e.Path) {
				out = append(out, e.Path)
			}
		}
		const copilot = ".github/copilot-instructions.md" // the one that is not at the root
		if view == nil || err != nil {
			continue
		}
		if is, err := tree.Exists(view, copilot); err == nil && is {
			out = append(out, copilot)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// changedFiles returns those of some paths at the root that two commits or trees hold differently.
// It returns none if either cannot be read: such a commit is blocked, and named as such.
func (h History) changedFiles(before, after tree.Hash, paths []string) (changed []string, err error) {
	a, err := h.Repo.Snapshot(before)
	var b *gitstore.Snapshot
	if err == nil {
		b, err = h.Repo.Snapshot(after)
	}
	for i := 0; i < len(paths) && err == nil; i++ {
		var x, y tree.Entry
		if x, err = lookup(a, paths[i]); err == nil {
			y, err = lookup(b, paths[i])
		}
		if x.Hash != y.Hash || x.Mode != y.Mode {
			changed = append(changed, paths[i])
		}
	}
	if gitstore.IsBadObject(err) {
		return nil, nil
	}
	return changed, err
}

// lookup returns the zero entry for a path that does not exist.
func lookup(view tree.View, path string) (tree.Entry, error) {
	e, err := view.Lookup(path)
	if errors.Is(err, fs.ErrNotExist) {
		return tree.Entry{}, nil
	}
	return e, err //nolint:wrapcheck // the error of the view names the path
}
