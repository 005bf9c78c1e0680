package gitstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitrun"
)

// refreshPlan lists the actions in one worktree.
type refreshPlan struct {
	worktree  Worktree
	git       *gitrun.Checkout
	repairing bool          // an earlier refresh moved the index but not all files
	index     []tree.Change // paths whose index entry becomes New
	write     []string
	remove    []string
	kept      []Kept
}

func (p *refreshPlan) add(c tree.Change, s indexState) error {
	have, tracked := s.entries[c.Path]
	if s.unmerged[c.Path] {
		p.keep(c.Path, "unmerged")
		return nil
	}
	if entryIs(have, tracked, c.New) {
		if p.repairing {
			return p.finish(c)
		}
		return nil // another process did it, or the user staged the same content
	}
	p.index = append(p.index, c)
	if !entryIs(have, tracked, c.Old) {
		if tracked && s.dirty[c.Path] {
			p.kept = append(p.kept, Kept{Worktree: p.worktree.Root, Path: c.Path, Why: "staged", Staged: have.hash})
			return nil
		}
		return p.keepUnlessSame(c, "staged")
	}
	switch {
	case !tracked:
		if p.isFree(c.Path) {
			p.write = append(p.write, c.Path)
			return nil
		}
		return p.keepUnlessSame(c, "untracked")
	case s.dirty[c.Path]:
		why := "edited"
		if _, err := p.lstat(c.Path); err != nil {
			why = "deleted"
		}
		return p.keepUnlessSame(c, why)
	case c.Removed():
		p.remove = append(p.remove, c.Path)
	default:
		p.write = append(p.write, c.Path)
	}
	return nil
}

// entryIs reports whether the index entry is e; a zero e means no entry.
func entryIs(have treeEntry, tracked bool, e tree.Entry) bool {
	if e.Path == "" || !tracked {
		return e.Path == "" && !tracked
	}
	return have.hash == e.Hash && have.mode == e.Mode
}

func (p *refreshPlan) keep(path, why string) {
	p.kept = append(p.kept, Kept{Worktree: p.worktree.Root, Path: path, Why: why})
}

// keepUnlessSame keeps the file, unless it already has the new content.
func (p *refreshPlan) keepUnlessSame(c tree.Change, why string) error {
	info, err := p.lstat(c.Path)
	switch {
	case err != nil && absent(err) && c.Removed():
		return nil
	case err == nil && info.Mode().IsRegular() && c.New.Mode.IsFile():
		if same, err := p.shows(c.Path, c.New.Hash); err != nil || same {
			return err
		}
	}
	p.keep(c.Path, why)
	return nil
}

// finish updates a file whose index entry is already new, if the file has the old content or is
// missing. So no edit is lost.
func (p *refreshPlan) finish(c tree.Change) error {
	info, err := p.lstat(c.Path)
	switch {
	case err != nil && !absent(err):
		return err
	case err != nil && c.Removed():
		return nil
	case err == nil && (!info.Mode().IsRegular() || !c.Old.Mode.IsFile()):
		return nil
	case err == nil:
		if same, err := p.shows(c.Path, c.Old.Hash); err != nil || !same {
			return err
		}
	}
	if c.Removed() {
		p.remove = append(p.remove, c.Path)
	} else if err == nil || p.isFree(c.Path) {
		p.write = append(p.write, c.Path)
	}
	return nil
}

// shows reports whether the file on disk is a checkout of the blob.
func (p *refreshPlan) shows(path string, blob tree.Hash) (bool, error) {
	out, err := p.git.Run(context.Background(), "", "hash-object", "--path="+path, "--", p.onDisk(path))
	return strings.TrimSpace(string(out)) == blob.String(), err
}

func (p *refreshPlan) onDisk(path string) string {
	return filepath.Join(p.worktree.Root, filepath.FromSlash(path))
}

// lstat describes the file at a path of the checkout. If a parent folder is a link or a file, nothing is at the path: the target of
// a link does not belong to the checkout and may be anywhere.
func (p *refreshPlan) lstat(path string) (fs.FileInfo, error) {
	for at := range path {
		if path[at] != '/' {
			continue
		}
		info, err := os.Lstat(p.onDisk(path[:at]))
		if err == nil && !info.IsDir() {
			err = fs.ErrNotExist
		}
		if err != nil {
			return nil, err
		}
	}
	return os.Lstat(p.onDisk(path))
}

// isFree reports whether nothing blocks a new file: nothing at its path, and no file or link in
// place of its folders. Files that the same refresh removes do not count.
func (p *refreshPlan) isFree(path string) bool {
	if _, err := p.lstat(path); err == nil {
		return false
	}
	for dir := filepath.ToSlash(filepath.Dir(filepath.FromSlash(path))); dir != "."; dir = filepath.ToSlash(filepath.Dir(filepath.FromSlash(dir))) {
		info, err := os.Lstat(p.onDisk(dir))
		if err == nil && !info.IsDir() && !slices.Contains(p.remove, dir) {
			return false
		}
	}
	return true
}

// apply moves the index first. If a later step fails, files are old but no commit can silently
// undo the merge.
func (p *refreshPlan) apply() error {
	if err := p.moveIndex(); err != nil {
		return err
	}
	if err := p.dropHidden(); err != nil {
		return err
	}
	for _, path := range p.remove {
		if err := p.removeFile(path); err != nil {
			return err
		}
	}
	if len(p.write) > 0 {
		if _, err := p.git.Run(context.Background(), strings.Join(p.write, "\x00")+"\x00", "checkout-index", "-f", "-u", "-z", "--stdin"); err != nil {
			return err
		}
	}
	return nil
}

func (p *refreshPlan) moveIndex() error {
	if len(p.index) == 0 {
		return nil
	}
	var gone, set strings.Builder
	for _, c := range p.index {
		if c.Removed() {
			fmt.Fprintf(&gone, "0 %s\t%s\x00", tree.Hash{}, c.Path)
			continue
		}
		fmt.Fprintf(&set, "%o %s\t%s\x00", uint32(c.New.Mode), c.New.Hash, c.Path)
	}
	_, err := p.git.Run(context.Background(), gone.String()+set.String(), "update-index", "-z", "--index-info")
	return err
}

// dropHidden drops files from the write list that a sparse checkout hides. Git decides which, from
// its patterns and the moved index.
func (p *refreshPlan) dropHidden() error {
	if _, err := os.Stat(filepath.Join(p.worktree.GitDir, "info", "sparse-checkout")); err != nil || len(p.write) == 0 {
		return nil //nolint:nilerr // without patterns everything is shown
	}
	if on, err := p.git.Run(context.Background(), "", "config", "--type=bool", "--default=false", "--get", "core.sparseCheckout"); err != nil || strings.TrimSpace(string(on)) != "true" {
		return err
	}
	if _, err := p.git.Run(context.Background(), "", "sparse-checkout", "reapply"); err != nil {
		return err
	}
	listed, err := p.git.Run(context.Background(), "", "ls-files", "-t", "-z", "--full-name")
	if err != nil {
		return err
	}
	hidden := map[string]bool{}
	for line := range strings.SplitSeq(string(listed), "\x00") {
		if path, ok := strings.CutPrefix(line, "S "); ok {
			hidden[path] = true
		}
	}
	p.write = slices.DeleteFunc(p.write, func(path string) bool { return hidden[path] })
	return nil
}

// removeFile removes a file and its parent folders that become empty.
func (p *refreshPlan) removeFile(path string) error {
	full := p.onDisk(path)
	if err := os.Remove(full); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for dir := filepath.Dir(full); dir != p.worktree.Root && os.Remove(dir) == nil; {
		dir = filepath.Dir(dir)
	}
	return nil
}
