package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitrun"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// recent bounds how many merges a checkout may be behind to be found.
const recent = 50

// checkCheckouts looks for checkouts of main whose index a merge could not update because
// another program held it. The next `git commit -a` there would revert the merge.
func checkCheckouts(e *examination) {
	trees, err := e.w.Repo.Worktrees()
	if err != nil {
		e.broke("checkout", err)
		return
	}
	behind := 0
	for _, t := range trees {
		if t.Head.Branch != attest.MainRef {
			continue
		}
		if since, err := t.Behind(); err != nil || !since.IsZero() {
			behind++
			reportInterrupted(e, t, since, err)
			continue
		}
		merge, err := mergeNotFollowed(e, t)
		switch {
		case errors.Is(err, gitrun.ErrNoGit):
			return // reported already
		case err != nil:
			e.broke("checkout", err)
			return
		case merge.Hash.IsZero():
			continue
		}
		behind++
		e.warn("checkout", "git stash && git reset --hard && git stash pop", "%s still has the files from before %s: git commit -a would revert that merge", t.Root, merge.Subject()).
			by(refreshCheckout(e, merge, t), "update the index and unedited files to main")
	}
	if behind == 0 {
		e.ok("checkout", "all follow main")
	}
}

// reportInterrupted reports a checkout update that began after a merge and did not finish.
func reportInterrupted(e *examination, t gitstore.Worktree, since tree.Hash, err error) {
	if err != nil {
		e.broke("checkout", err)
		return
	}
	fix := "merge the next proposal; if a folder on main holds too many files, first commit its removal: docs/rough-edges.md"
	if lock := filepath.Join(t.GitDir, "index.lock"); exists(lock) {
		fix = "if no Git program is running here: rm " + names.ForShell(lock) + "; then " + fix
	}
	e.warn("checkout", fix, "%s could not follow a merge and still has files from %s: git commit -a there would revert that merge", t.Root, since.Short()).
		by(func(context.Context) error {
			_, err := e.w.Repo.RefreshWorktree(since, since)
			return err
		}, "update the index and unedited files to main")
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// mergeNotFollowed returns the oldest recent merge that is missing from the index entirely.
// Only paths changed by merges are compared, because the checkout may be vast.
func mergeNotFollowed(e *examination, t gitstore.Worktree) (gitstore.Commit, error) {
	var oldest gitstore.Commit
	staged, err := staging(e, t)
	if err != nil || len(staged.held) == 0 { // no file was ever checked out
		return oldest, err
	}
	seen := 0
	err = e.w.Repo.Lineage(t.Head.Commit, func(c gitstore.Commit) (bool, error) {
		if len(c.Parents) == 0 {
			return false, nil
		}
		lacked, err := staged.lacks(c)
		if err != nil {
			return false, err
		}
		if lacked {
			oldest = c
		}
		seen++
		return seen < recent, e.ctx.Err()
	})
	return oldest, err
}

// stagedFiles compares the index of a checkout with the commit that is checked out.
type stagedFiles struct {
	repo *gitstore.Repo
	head *gitstore.Snapshot
	held map[string]tree.Hash
}

func staging(e *examination, t gitstore.Worktree) (stagedFiles, error) {
	s := stagedFiles{repo: e.w.Repo, held: map[string]tree.Hash{}}
	//defence:indexes-are-compared-by-path
	out, err := e.Git(e.ctx, t.Root, "ls-files", "--stage", "-z", "--full-name")
	if err != nil {
		return s, err
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		meta, path, _ := strings.Cut(line, "\t")
		fields := strings.Fields(meta) // mode hash stage
		if len(fields) != 3 {
			continue // of an empty index
		}
		if s.held[path], err = tree.ParseHash(fields[1]); err != nil {
			return s, fmt.Errorf("git ls-files: %w", err)
		}
	}
	s.head, err = s.repo.Snapshot(t.Head.Commit)
	return s, err
}

// lacks reports whether the index holds every file of a merge as it was before. A commit
// that cannot be compared is not one that a checkout could follow.
func (s stagedFiles) lacks(c gitstore.Commit) (bool, error) {
	if len(c.Parents) != 2 {
		return false, nil
	}
	changes, err := attest.Governed(s.repo, c.Parents[0], c.Hash)
	if gitstore.IsUnfit(err) {
		return false, nil
	}
	for _, ch := range changes {
		now, err := s.head.Lookup(ch.Path)
		if err != nil && !errors.Is(err, tree.ErrNotExist) && !gitstore.IsBadObject(err) {
			return false, err
		}
		if s.held[ch.Path] != ch.Old.Hash || s.held[ch.Path] == now.Hash {
			return false, nil
		}
	}
	return len(changes) > 0, err
}

func refreshCheckout(e *examination, merge gitstore.Commit, t gitstore.Worktree) func(context.Context) error {
	return func(context.Context) error {
		_, err := e.w.Repo.RefreshWorktree(merge.Parents[0], t.Head.Commit)
		return err
	}
}
