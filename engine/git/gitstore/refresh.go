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

// Refresh says what RefreshWorktree did.
type Refresh struct {
	// Worktrees are the folders that had the branch checked out.
	Worktrees []string
	// Updated counts files that now show the new content (or are gone).
	Updated int
	// Kept are the files that were left as they are, because a person had edited,
	// staged or made them.
	Kept []Kept
}

// Kept is a file that stays as its owner left it. The index holds the merged
// content, so `git diff` shows the difference, and `git commit -a` would record it.
type Kept struct {
	Worktree, Path string
	// Why is "edited", "deleted", "staged", "untracked" or "unmerged".
	Why string
	// Staged is the content that was staged if no file holds it, else zero.
	Staged tree.Hash
}

// RefreshWorktree lets worktrees follow a branch that moved from old to new: each
// one whose checked-out branch contains new. Unedited files change;
// others stay and are named. The index always follows for every path that
// changed, so that a later `git commit -a` cannot silently undo the merge; a
// path in the middle of a merge conflict is the exception. It needs the git
// program (gitrun.ErrNoGit), whose line endings and encodings apply. No filter is run: a file for
// which attributes ask for one gets the content that is committed.
//
// Several refreshes may come at once and in any order: they take turns, and each
// brings its paths to where the branch is by then. One that fails leaves a note (see
// Behind), and the next one, whatever it is of, does what was left over.
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
			err = co.refreshAlone(w, old, new, &out)
		}
		if err != nil {
			return out, fmt.Errorf("refreshing %s: %w", w.Root, err)
		}
	}
	return out, nil
}

// follows reports that a worktree has a branch checked out that contains a commit.
func (co *Checkouts) follows(w Worktree, commit tree.Hash) (bool, error) {
	if w.Head.Branch == "" || w.Head.Commit.IsZero() {
		return false, nil
	}
	return co.history.IsAncestor(commit, w.Head.Commit)
}

// refreshAlone refreshes a worktree while no other process does. What it has checked out
// is read again by then: an older commit would take back what others brought.
func (co *Checkouts) refreshAlone(w Worktree, old, new tree.Hash, out *Refresh) error {
	done, err := w.alone()
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
	if !left { // else the note says so already, and a kill while it is written would lose it
		if err := w.begin(old); err != nil {
			return err
		}
	}
	if err := co.bring(w, old, left, out); err != nil {
		return err
	}
	return os.Remove(w.note())
}

// contains reports whether history from tip holds an earlier commit that a note
// names; one that is gone or zero is not held.
func (hist *History) contains(tip, earlier tree.Hash) (bool, error) {
	if earlier.IsZero() {
		return false, nil
	}
	if _, err := hist.objects.Commit(earlier); errors.Is(err, ErrNoObject) {
		return false, nil
	}
	return hist.IsAncestor(earlier, tip)
}

// bring makes a worktree that shows old show its branch; mending says that it may
// do so in part already.
func (co *Checkouts) bring(w Worktree, old tree.Hash, mending bool, out *Refresh) error {
	git, err := gitrun.OpenCheckout(context.Background(), w.Root, w.GitDir, co.place.commonDir)
	if err != nil {
		return err
	}
	return errors.Join(co.bringBy(git, w, old, mending, out), git.Close())
}

func (co *Checkouts) bringBy(git *gitrun.Checkout, w Worktree, old tree.Hash, mending bool, out *Refresh) error {
	state, err := readIndexState(git)
	if err != nil {
		return err
	}
	changes, err := co.since(w, old, state)
	if err != nil || len(changes) == 0 {
		return err
	}
	plan, weight := refreshPlan{worktree: w, git: git, mending: mending}, co.objects.Weigh()
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

// maxLate is how many moves of a branch a worktree may lag behind and still be
// known for what it is.
const maxLate = 64

// since is what changes between the commit that a worktree shows and its branch.
// That is old, unless the index shows another one of the branch's line: where several
// moved the branch, they refresh in any order, and what looks staged is only early
// or late.
func (co *Checkouts) since(w Worktree, old tree.Hash, state indexState) ([]tree.Change, error) {
	changes, err := co.between(old, w.Head.Commit)
	if err != nil || state.shows(changes) {
		return changes, err
	}
	shown, seen := changes, 0
	err = co.history.FirstParents(w.Head.Commit, func(c Commit) (bool, error) {
		if seen++; seen == 1 {
			return true, nil // where the branch is
		}
		others, err := co.between(c.Hash, w.Head.Commit)
		if err == nil && state.shows(others) && state.shows(beyond(changes, others)) {
			shown = others
			return false, nil
		}
		return seen < maxLate, err
	})
	if errors.Is(err, ErrNoObject) { // a shallow clone ends here
		err = nil
	}
	return shown, err
}

// beyond are the changes of paths that others do not change: those have to be as
// they are now.
func beyond(changes, others []tree.Change) []tree.Change {
	var out []tree.Change
	for _, c := range changes {
		if !slices.ContainsFunc(others, func(o tree.Change) bool { return o.Path == c.Path }) {
			out = append(out, tree.Change{Path: c.Path, Old: c.New, New: c.New})
		}
	}
	return out
}

func (co *Checkouts) between(old, new tree.Hash) ([]tree.Change, error) {
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

// shows reports that the index holds every changed path as it was or as it is.
func (s indexState) shows(changes []tree.Change) bool {
	for _, c := range changes {
		have, tracked := s.entries[c.Path]
		if !holds(have, tracked, c.Old) && !holds(have, tracked, c.New) {
			return false
		}
	}
	return true
}

// indexState is what the index holds, and which files differ from it.
type indexState struct {
	entries  map[string]treeEntry
	unmerged map[string]bool
	dirty    map[string]bool
}

func readIndexState(git *gitrun.Checkout) (indexState, error) {
	s := indexState{entries: map[string]treeEntry{}, unmerged: map[string]bool{}, dirty: map[string]bool{}}
	// Its exit code says that files differ, which is no failure; a real one shows
	// in the next command.
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
