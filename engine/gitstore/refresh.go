package gitstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/tree"
)

// Refresh says what RefreshWorktree did.
type Refresh struct {
	// Worktrees are the folders that had the branch checked out.
	Worktrees []string
	// Updated counts files that now show the new content (or are gone).
	Updated int
	// Kept are the files that were left as they are, because somebody had edited,
	// staged or made them.
	Kept []Kept
}

// Kept is a file that stays as its owner left it. The index holds the merged
// content, so `git diff` shows the difference, and `git commit -a` would record it.
type Kept struct {
	Worktree, Path string
	// Why is "edited", "deleted", "staged", "untracked" or "unmerged".
	Why string
}

// RefreshWorktree lets worktrees follow a branch that moved from old to new: each
// one whose checked-out branch contains new. Files that nobody touched change;
// others stay and are named. The index always follows for every path that
// changed, so that a later `git commit -a` cannot silently undo the merge; a
// path in the middle of a merge conflict is the exception. It needs the git
// program (ErrNoGit), whose line-ending rules apply.
//
// Several refreshes may overlap and come in any order: each brings its paths to
// where the branch is by then.
func (r *Repo) RefreshWorktree(old, new tree.Hash) (Refresh, error) {
	var out Refresh
	all, err := r.Worktrees()
	if err != nil {
		return out, err
	}
	for _, w := range all {
		if w.Head.Branch == "" || w.Head.Commit.IsZero() {
			continue
		}
		follows, err := r.IsAncestor(new, w.Head.Commit)
		if err != nil {
			return out, fmt.Errorf("refreshing %s: %w", w.Root, err)
		}
		if !follows {
			continue
		}
		out.Worktrees = append(out.Worktrees, w.Root)
		if err := r.refreshOne(w, old, &out); err != nil {
			return out, fmt.Errorf("refreshing %s: the branch has moved, but the files there are still the old ones; `git stash && git reset --hard && git stash pop` there brings them up to date: %w", w.Root, err)
		}
	}
	return out, nil
}

func (r *Repo) refreshOne(w Worktree, old tree.Hash, out *Refresh) error {
	before, err := r.Snapshot(old)
	if err != nil {
		return err
	}
	after, err := r.Snapshot(w.Head.Commit)
	if err != nil {
		return err
	}
	changes, err := tree.Diff(before, after)
	if err != nil || len(changes) == 0 {
		return err
	}
	state, err := readIndexState(w)
	if err != nil {
		return err
	}
	plan := refreshPlan{worktree: w}
	for _, c := range changes {
		if err := plan.add(c, state); err != nil {
			return err
		}
	}
	if err := plan.apply(); err != nil {
		return err
	}
	out.Updated += len(plan.write) + len(plan.remove)
	out.Kept = append(out.Kept, plan.kept...)
	return nil
}

// indexState is what the index holds, and which files differ from it.
type indexState struct {
	entries  map[string]treeEntry
	unmerged map[string]bool
	dirty    map[string]bool
}

func readIndexState(w Worktree) (indexState, error) {
	s := indexState{entries: map[string]treeEntry{}, unmerged: map[string]bool{}, dirty: map[string]bool{}}
	// Its exit code says that files differ, which is no failure; a real one shows
	// in the next command.
	_, err := w.git("", "update-index", "-q", "--refresh")
	if errors.Is(err, ErrNoGit) {
		return s, err
	}
	listed, err := w.git("", "ls-files", "-s", "-z", "--full-name")
	if err != nil {
		return s, err
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(string(listed), "\x00"), "\x00") {
		if line == "" {
			continue
		}
		meta, path, _ := strings.Cut(line, "\t")
		fields := strings.Fields(meta)
		if len(fields) != 3 {
			return s, fmt.Errorf("git ls-files: cannot read %q", line)
		}
		mode, ok := parseMode(fields[0])
		hash, err := tree.ParseHash(fields[1])
		if !ok || err != nil {
			return s, fmt.Errorf("git ls-files: cannot read %q", line)
		}
		if fields[2] != "0" {
			s.unmerged[path] = true
		}
		s.entries[path] = treeEntry{name: path, mode: mode, hash: hash}
	}
	differing, err := w.git("", "diff-files", "--name-only", "-z")
	if err != nil {
		return s, err
	}
	for path := range strings.SplitSeq(string(differing), "\x00") {
		s.dirty[path] = true
	}
	return s, nil
}

// refreshPlan is what to do in one worktree.
type refreshPlan struct {
	worktree Worktree
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
		return nil // somebody was faster, or it was staged just so
	}
	p.index = append(p.index, c)
	if !holds(have, tracked, c.Old) {
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

// holds reports whether the index entry is e; a zero e stands for none.
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
		out, err := p.worktree.git("", "hash-object", "--path="+c.Path, "--", p.onDisk(c.Path))
		if err != nil {
			return err
		}
		if strings.TrimSpace(string(out)) == c.New.Hash.String() {
			return nil
		}
	}
	p.keep(c.Path, why)
	return nil
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
	if _, err := p.worktree.git(gone.String()+set.String(), "update-index", "-z", "--index-info"); err != nil {
		return err
	}
	for _, path := range p.remove {
		if err := p.removeFile(path); err != nil {
			return err
		}
	}
	if len(p.write) > 0 {
		if _, err := p.worktree.git(strings.Join(p.write, "\x00")+"\x00", "checkout-index", "-f", "-u", "-z", "--stdin"); err != nil {
			return err
		}
	}
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
