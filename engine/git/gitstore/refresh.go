package gitstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitrun"
)

// Refresh is the result of RefreshWorktree.
type Refresh struct {
	// Worktrees lists the folders that have the branch checked out.
	Worktrees []string
	// Updated counts the files that were written or removed.
	Updated int
	// Kept lists the files that were left unchanged, because the user had edited, staged or
	// created them.
	Kept []Kept
}

// Kept is a file that a refresh left unchanged. The index has the merged content, so `git diff`
// shows the difference, and `git commit -a` would record it.
type Kept struct {
	Worktree, Path string
	// Why is "edited", "deleted", "staged", "untracked" or "unmerged".
	Why string
	// Staged is the staged content if no file has it, else zero.
	Staged tree.Hash
}

// RefreshWorktree updates the worktrees whose checked-out branch contains new, after a branch
// moved from old to new. It changes unedited files and reports the others as kept. The index
// always follows for every changed path, so that a later `git commit -a` cannot silently undo
// the merge, except for a path in a merge conflict. It needs the git program (gitrun.ErrNoGit),
// whose line endings and encodings apply. No filter runs: a file whose attributes ask for one
// gets the committed content.
//
// Concurrent refreshes may come in any order: they run one at a time, and each brings its paths
// to the branch's current commit. A refresh that fails leaves a note (see Behind), and the next
// one of any branch completes it.
func (co *Checkouts) RefreshWorktree(old, new tree.Hash) (Refresh, error) {
	var out Refresh
	all, err := co.Worktrees()
	if err != nil {
		return out, err
	}
	for _, w := range all {
		follows, err := co.follows(w, new)
		if err == nil && follows {
			out.Worktrees = append(out.Worktrees, w.Root)
			err = co.refreshLocked(w, old, new, &out)
		}
		if err != nil {
			return out, fmt.Errorf("refreshing %s: %w", w.Root, err)
		}
	}
	return out, nil
}

// follows reports whether a worktree's checked-out branch contains a commit.
func (co *Checkouts) follows(w Worktree, commit tree.Hash) (bool, error) {
	if w.Head.Branch == "" || w.Head.Commit.IsZero() {
		return false, nil
	}
	return co.history.IsAncestor(commit, w.Head.Commit)
}

// refreshLocked refreshes a worktree under its refresh lock. It reads HEAD again under the lock,
// because an older commit would revert files of a later refresh.
func (co *Checkouts) refreshLocked(w Worktree, old, new tree.Hash, out *Refresh) error {
	done, err := w.lockRefresh()
	if err != nil {
		return err
	}
	defer done()
	all, err := co.Worktrees()
	if err != nil {
		return err
	}
	for _, now := range all {
		if now.GitDir != w.GitDir {
			continue
		}
		follows, err := co.follows(now, new)
		if err != nil || !follows {
			return err
		}
		return co.refreshOne(now, old, out)
	}
	return nil
}

func (co *Checkouts) refreshOne(w Worktree, old tree.Hash, out *Refresh) error {
	since, err := w.Behind()
	if err != nil {
		return err
	}
	left, err := co.history.contains(w.Head.Commit, since)
	if err != nil {
		return err
	}
	if left {
		old = since
	}
	if !left { // else the note exists, and a kill while it is rewritten would lose it
		if err := w.noteBehind(old); err != nil {
			return err
		}
	}
	if err := co.update(w, old, left, out); err != nil {
		return err
	}
	return os.Remove(w.behindNote())
}

// contains reports whether history from tip has the earlier commit that a note names. It is
// false for zero or a missing commit.
func (hist *History) contains(tip, earlier tree.Hash) (bool, error) {
	if earlier.IsZero() {
		return false, nil
	}
	if _, err := hist.objects.Commit(earlier); errors.Is(err, ErrNoObject) {
		return false, nil
	}
	return hist.IsAncestor(earlier, tip)
}

// update updates a worktree from old to its branch. With repairing, an earlier refresh may have
// done part of it.
func (co *Checkouts) update(w Worktree, old tree.Hash, repairing bool, out *Refresh) error {
	git, err := gitrun.OpenCheckout(context.Background(), w.Root, w.GitDir, co.place.commonDir)
	if err != nil {
		return err
	}
	return errors.Join(co.updateWith(git, w, old, repairing, out), git.Close())
}

func (co *Checkouts) updateWith(git *gitrun.Checkout, w Worktree, old tree.Hash, repairing bool, out *Refresh) error {
	state, err := readIndexState(git)
	if err != nil {
		return err
	}
	changes, err := co.changesSince(w, old, state)
	if err != nil || len(changes) == 0 {
		return err
	}
	plan, weight := refreshPlan{worktree: w, git: git, repairing: repairing}, co.objects.Weigh()
	for _, c := range changes {
		if !c.Removed() {
			if err := weight.Add(c.New); err != nil {
				return err
			}
		}
		if err := plan.add(c, state); err != nil {
			return err
		}
	}
	if err := plan.apply(); err != nil {
		return err
	}
	out.Updated += len(plan.write) + len(plan.remove)
	out.Kept = append(out.Kept, plan.kept...)
	return noteKept(w, changes, plan.kept)
}

// maxLate bounds how many commits of its branch a worktree may lag behind and still be
// recognised.
const maxLate = 64

// changesSince returns the changes between the commit that a worktree shows and its branch. That
// commit is old, unless the index matches another commit of the branch's first-parent history:
// concurrent movers refresh in any order, and a path that looks staged may only be early or
// late.
func (co *Checkouts) changesSince(w Worktree, old tree.Hash, state indexState) ([]tree.Change, error) {
	changes, err := co.diffCommits(old, w.Head.Commit)
	if err != nil || state.matches(changes) {
		return changes, err
	}
	shown, seen := changes, 0
	err = co.history.Lineage(w.Head.Commit, func(c Commit) (bool, error) {
		if seen++; seen == 1 {
			return true, nil // the branch's own commit
		}
		others, err := co.diffCommits(c.Hash, w.Head.Commit)
		if err == nil && state.matches(others) && state.matches(unchangedPaths(changes, others)) {
			shown = others
			return false, nil
		}
		return seen < maxLate, err
	})
	if errors.Is(err, ErrNoObject) { // the end of a shallow clone
		err = nil
	}
	return shown, err
}

// unchangedPaths returns, for each changed path that others do not change, a change that requires its
// current entry.
func unchangedPaths(changes, others []tree.Change) []tree.Change {
	var out []tree.Change
	for _, c := range changes {
		if !slices.ContainsFunc(others, func(o tree.Change) bool { return o.Path == c.Path }) {
			out = append(out, tree.Change{Path: c.Path, Old: c.New, New: c.New})
		}
	}
	return out
}

func (co *Checkouts) diffCommits(old, new tree.Hash) ([]tree.Change, error) {
	before, err := co.objects.Snapshot(old)
	if err != nil {
		return nil, err
	}
	after, err := co.objects.Snapshot(new)
	if err != nil {
		return nil, err
	}
	return tree.Diff(before, after)
}

// matches reports whether the index has each changed path in its old or new form.
func (s indexState) matches(changes []tree.Change) bool {
	for _, c := range changes {
		have, tracked := s.entries[c.Path]
		if !entryIs(have, tracked, c.Old) && !entryIs(have, tracked, c.New) {
			return false
		}
	}
	return true
}

// indexState holds the entries of the index and the files that differ from it.
type indexState struct {
	entries  map[string]treeEntry
	unmerged map[string]bool
	dirty    map[string]bool
}

func readIndexState(git *gitrun.Checkout) (indexState, error) {
	s := indexState{entries: map[string]treeEntry{}, unmerged: map[string]bool{}, dirty: map[string]bool{}}
	// Its exit code reports differing files, which is no error. A real error recurs in the next
	// command.
	_, err := git.Run(context.Background(), "", "update-index", "-q", "--refresh")
	if errors.Is(err, gitrun.ErrNoGit) {
		return s, err
	}
	listed, err := git.Run(context.Background(), "", "ls-files", "-s", "-z", "--full-name")
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
	differing, err := git.Run(context.Background(), "", "diff-files", "--name-only", "-z")
	if err != nil {
		return s, err
	}
	for path := range strings.SplitSeq(string(differing), "\x00") {
		s.dirty[path] = true
	}
	return s, nil
}
