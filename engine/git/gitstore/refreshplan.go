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

// refreshPlan is what to do in one worktree.
type refreshPlan struct {
	worktree Worktree
	git      *gitrun.Checkout
	mending  bool          // an earlier refresh moved the index and not all files
	index    []tree.Change // New replaces whatever the index holds
	write    []string
	remove   []string
	kept     []Kept
}

func (p *refreshPlan) add(c tree.Change, s indexState) error {
	have, tracked := s.entries[c.Path]
	if s.unmerged[c.Path] {
		p.keep(c.Path, "unmerged")
		return nil
	}
	if holds(have, tracked, c.New) {
		if p.mending {
			return p.finish(c)
		}
		return nil // another process was faster, or it was staged just so
	}
	p.index = append(p.index, c)
	if !holds(have, tracked, c.Old) {
		if tracked && s.dirty[c.Path] {
			p.kept = append(p.kept, Kept{Worktree: p.worktree.Root, Path: c.Path, Why: "staged", Staged: have.hash})
			return nil
		}
		return p.keepUnlessSame(c, "staged")
	}
	switch {
	case !tracked:
		if p.free(c.Path) {
			p.write = append(p.write, c.Path)
			return nil
		}
		return p.keepUnlessSame(c, "untracked")
	case s.dirty[c.Path]:
		why := "edited"
		if _, err := os.Lstat(p.onDisk(c.Path)); err != nil {
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

// holds reports whether the index entry is e; a zero e means no entry.
func holds(have treeEntry, tracked bool, e tree.Entry) bool {
	if e.Path == "" || !tracked {
		return e.Path == "" && !tracked
	}
	return have.hash == e.Hash && have.mode == e.Mode
}

func (p *refreshPlan) keep(path, why string) {
	p.kept = append(p.kept, Kept{Worktree: p.worktree.Root, Path: path, Why: why})
}

// keepUnlessSame names the file, unless it is already what the change makes it.
func (p *refreshPlan) keepUnlessSame(c tree.Change, why string) error {
	info, err := os.Lstat(p.onDisk(c.Path))
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

// finish lets a file follow an index that was ahead of it, if the file is still
// the old one or is not there: then no edit is lost.
func (p *refreshPlan) finish(c tree.Change) error {
	info, err := os.Lstat(p.onDisk(c.Path))
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
	} else if err == nil || p.free(c.Path) {
		p.write = append(p.write, c.Path)
	}
	return nil
}

// shows reports whether the file on disk is how the blob is checked out.
func (p *refreshPlan) shows(path string, blob tree.Hash) (bool, error) {
	out, err := p.git.Run(context.Background(), "", "hash-object", "--path="+path, "--", p.onDisk(path))
	return strings.TrimSpace(string(out)) == blob.String(), err
}

func (p *refreshPlan) onDisk(path string) string {
	return filepath.Join(p.worktree.Root, filepath.FromSlash(path))
}

// free reports whether nothing is in the way of a new file: not at its path, and
// no file or link where its folders must be. What the same refresh removes does
// not count.
func (p *refreshPlan) free(path string) bool {
	if _, err := os.Lstat(p.onDisk(path)); err == nil {
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

// apply moves the index first: if anything fails after that, the files are old
// but no commit can undo the merge unseen.
func (p *refreshPlan) apply() error {
	if err := p.moveIndex(); err != nil {
		return err
	}
	if err := p.hide(); err != nil {
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

// hide takes what a sparse checkout does not show off the list of files to write.
// Git decides what that is, from its patterns and the index, which has moved.
func (p *refreshPlan) hide() error {
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

// removeFile removes a file and the folders that it leaves empty.
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
