package scanner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/proposals/folder"
)

// Target is one capability: a folder, or a file that was named directly.
type Target struct {
	// Path is the named path joined with Below, the part below it, slash-separated, "" for the
	// named path itself.
	Path, Below string
	// files are below Path; a target has no file of a target below it.
	files []file
	// diags name the unreadable parts.
	diags diag.List
}

// file is one file of a target.
type file struct {
	path string // on the disk
	rel  string // below the target, slash-separated
	info fs.FileInfo
}

// Find returns the capabilities in and below paths, in order. A folder with a SKILL.md (in any
// case) or a capability.yaml is one, with everything below it. A folder with an MCP server's or a
// client's configuration is one, too, without the capabilities below it. Other files belong to the
// named path. The error is for a missing path.
func Find(ctx context.Context, paths []string) ([]*Target, error) {
	f := finder{ctx: ctx, seen: map[string]bool{}}
	for _, p := range paths {
		if err := f.from(p); err != nil {
			return nil, err
		}
	}
	return f.found, nil
}

type finder struct {
	ctx   context.Context
	seen  map[string]bool // real paths of the named ones
	root  string          // the base of Below
	found []*Target
}

func (f *finder) from(path string) error {
	real, err := filepath.EvalSymlinks(path) // a link named by the user means its target
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("scan %s: %w", path, fs.ErrNotExist) // not the path after links
	}
	if err != nil {
		return fmt.Errorf("scan %s: %w", path, err)
	}
	info, err := os.Lstat(real)
	if err != nil {
		return fmt.Errorf("scan %s: %w", path, err)
	}
	if f.seen[real] {
		return nil
	}
	f.seen[real], f.root = true, real
	first := len(f.found)
	top := f.target(path, real)
	if !info.IsDir() {
		top.files = []file{{real, filepath.Base(real), info}}
		return nil
	}
	if err := f.dir(real, path, top, true); err != nil {
		return err
	}
	if top.empty() && len(f.found) == first+1 {
		top.diags.Errorf(folder.RuleEmpty, diag.Pos{}, "name a folder that holds something", "the folder holds no file, so nothing was scanned")
	}
	f.found = slices.DeleteFunc(f.found, (*Target).empty)
	order.Stable(f.found[first:], func(a, b *Target) int { return cmp.Compare(a.Below, b.Below) })
	return nil
}

func (f *finder) target(path, real string) *Target {
	t := &Target{Path: path}
	if below, err := filepath.Rel(f.root, real); err == nil && below != "." {
		t.Below = filepath.ToSlash(below)
	}
	f.found = append(f.found, t)
	return t
}

func (t *Target) empty() bool { return len(t.files) == 0 && len(t.diags) == 0 }

// dir assigns the files of one folder to owner, or to a target of its own. Everything below a
// capability belongs to it; divide reports that none was met yet.
func (f *finder) dir(real, path string, owner *Target, divide bool) error {
	if err := f.ctx.Err(); err != nil {
		return err
	}
	entries, err := os.ReadDir(real)
	if divide {
		if kind := kindOf(entries); kind != ordinary {
			if real != f.root {
				owner = f.target(path, real)
			}
			divide = kind == surroundings
		}
	}
	if err != nil {
		owner.unread(owner.rel(path, ""), err)
	}
	for _, e := range entries {
		if err := f.entry(real, path, e, owner, divide); err != nil {
			return err
		}
	}
	return nil
}

func (f *finder) entry(real, path string, e fs.DirEntry, owner *Target, divide bool) error {
	below := filepath.Join(real, e.Name())
	switch {
	case ignored(e):
		return nil
	case e.IsDir():
		return f.dir(below, filepath.Join(path, e.Name()), owner, divide)
	}
	info, err := e.Info()
	if err != nil {
		owner.unread(owner.rel(path, e.Name()), err)
		return nil
	}
	owner.files = append(owner.files, file{below, owner.rel(path, e.Name()), info})
	return nil
}

// rel is the path of name in the folder at path, seen from the target.
func (t *Target) rel(path, name string) string {
	rel, err := filepath.Rel(t.Path, filepath.Join(path, name))
	if err != nil {
		return name
	}
	return filepath.ToSlash(rel)
}

func (t *Target) unread(rel string, err error) {
	t.diags.Errorf(RuleUnread, diag.Pos{File: rel}, "make it readable for the user who scans, or remove it",
		"it could not be read: %v", reason(err))
}

// kind classifies a folder by the names in it.
type kind int

const (
	ordinary     kind = iota
	surroundings      // of clients and servers; there may be capabilities below
	whole             // a capability with all that is below it
)

func kindOf(entries []fs.DirEntry) kind {
	best := ordinary
	for _, e := range entries {
		name := strings.ToLower(e.Name())
		switch {
		case !e.IsDir() && (name == strings.ToLower(names.SkillFile) || name == "capability.yaml"):
			return whole
		case !e.IsDir() && slices.Contains([]string{"server.json", ".mcp.json", "mcp.json"}, name),
			e.IsDir() && slices.Contains([]string{".claude", ".claude-plugin", ".codex", ".cursor", ".gemini", ".openclaw", ".agents"}, name):
			best = surroundings
		}
	}
	return best
}

// ignored reports files of version control and file browsers. Installed packages and compiled
// files are not ignored: they run.
func ignored(e fs.DirEntry) bool {
	if e.IsDir() {
		return slices.Contains([]string{".git", ".hg", ".svn"}, e.Name())
	}
	return e.Name() == ".DS_Store"
}
