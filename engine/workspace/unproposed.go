package workspace

import (
	"context"
	"errors"
	"io/fs"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// clientFiles are the files and folders at the root that agent clients, editors, shells and git
// read, and partly run, when they work in a checkout.
func clientFiles() []string {
	return []string{
		".aider.conf.yml", ".claude", ".clinerules", ".codex", ".continue", ".cursor", ".cursorrules", ".devcontainer", ".devcontainer.json", ".envrc", ".gemini", ".gitattributes",
		".githooks", ".gitmodules", ".husky", ".idea", ".junie", ".kiro", ".mcp.json", ".mise.toml", ".opencode", ".pre-commit-config.yaml", ".roo", ".vscode", ".windsurf", ".windsurfrules",
		".zed", "AGENTS.md", "AGENTS.override.md", "CLAUDE.local.md", "CLAUDE.md", "GEMINI.md", "lefthook.yml", "mise.toml", "opencode.json", "opencode.jsonc",
	}
}

// Unproposed is a commit on main that changed files which clients obey. No proposal can: the gate
// judged none of it, and checkouts show it.
type Unproposed struct {
	Commit tree.Hash `json:"commit"`
	Author string    `json:"author"`
	Paths  []string  `json:"paths"`
}

// maxUnproposed bounds the commits of main that are looked at.
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
	paths, err := s.History().changedFiles(since, s.Main, clientFiles())
	if err != nil || len(paths) == 0 {
		return nil, err
	}
	var c gitstore.Commit
	seen := 0
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
		return before.Hash != since && seen < maxUnproposed, ctx.Err()
	})
	return out, err
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
