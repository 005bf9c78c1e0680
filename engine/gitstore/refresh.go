package gitstore

import (
	"errors"
	"fmt"
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
// where the branch is by then. One that fails leaves a note (see Behind), and the
// next one, whatever it is of, does what was left over.
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
			return out, fmt.Errorf("refreshing %s: %w", w.Root, err)
		}
	}
	return out, nil
}

func (r *Repo) refreshOne(w Worktree, old tree.Hash, out *Refresh) error {
	since, err := w.Behind()
	if err != nil {
		return err
	}
	left, err := r.contains(w.Head.Commit, since)
	if err != nil {
		return err
	}
	if left {
		old = since
	}
	end, err := w.begin(old)
	if err != nil {
		return err
	}
	if err := r.bring(w, old, left, out); err != nil {
		return err
	}
	return end()
}

// contains reports whether history from tip holds an earlier commit that a note
// names; one that is gone or zero is not held.
func (r *Repo) contains(tip, earlier tree.Hash) (bool, error) {
	if earlier.IsZero() {
		return false, nil
	}
	if _, err := r.Commit(earlier); errors.Is(err, ErrNoObject) {
		return false, nil
	}
	return r.IsAncestor(earlier, tip)
}

// bring makes a worktree that shows old show its branch; mending says that it may
// do so in part already.
func (r *Repo) bring(w Worktree, old tree.Hash, mending bool, out *Refresh) error {
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
	plan := refreshPlan{worktree: w, mending: mending}
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
