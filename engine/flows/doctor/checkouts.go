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

// checkCheckouts looks for folders with main checked out whose index a merge could not
// bring along, because another program held it: the next `git commit -a` there would
// take the merge back.
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
			return // said already
		case err != nil:
			e.broke("checkout", err)
			return
		case merge.Hash.IsZero():
			continue
		}
		behind++
		e.warn("checkout", "git stash && git reset --hard && git stash pop", "%s still shows what was there before %s: git commit -a would take that merge back", t.Root, merge.Subject()).
			by(refreshCheckout(e, merge, t), "bring files that nobody edited and the index to where main is")
	}
	if behind == 0 {
		e.ok("checkout", "none is behind a merge")
	}
}

// reportInterrupted tells of a checkout that began to follow a merge and did not end.
func reportInterrupted(e *examination, t gitstore.Worktree, since tree.Hash, err error) {
	if err != nil {
		e.broke("checkout", err)
		return
	}
	fix := "merge what is next, or merge the last one once more"
	if lock := filepath.Join(t.GitDir, "index.lock"); exists(lock) {
		fix = "if no Git program is running here: rm " + names.ForShell(lock) + "; then " + fix
	}
	e.warn("checkout", fix, "%s could not follow a merge and still shows parts of %s: git commit -a there would take that merge back", t.Root, since.Short()).
		by(func(context.Context) error {
			_, err := e.w.Repo.RefreshWorktree(since, since)
			return err
		}, "bring files that nobody edited and the index to where main is")
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// mergeNotFollowed is the oldest recent merge of which the index has not one path.
func mergeNotFollowed(e *examination, t gitstore.Worktree) (gitstore.Commit, error) {
	staged, err := stagedDifferences(e, t)
	if err != nil || len(staged) == 0 {
		return gitstore.Commit{}, err
	}
	var oldest gitstore.Commit
	seen := 0
	err = e.w.Repo.FirstParents(t.Head.Commit, func(c gitstore.Commit) (bool, error) {
		if len(c.Parents) == 0 {
			return false, nil
		}
		changes, err := attest.Governed(e.w.Repo, c.Parents[0], c.Hash)
		if err != nil {
			return false, err
		}
		all := len(changes) > 0 && len(c.Parents) == 2
		for _, ch := range changes {
			held, differs := staged[ch.Path]
			all = all && differs && held == ch.Old.Hash
		}
		if all {
			oldest = c
		}
		seen++
		return seen < recent, e.ctx.Err()
	})
	return oldest, err
}

// stagedDifferences returns the paths in which the index differs from the commit that is checked
// out, with what the index holds there; zero where it holds nothing.
func stagedDifferences(e *examination, t gitstore.Worktree) (map[string]tree.Hash, error) {
	out, err := e.Git(e.ctx, t.Root, "diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", "HEAD")
	if err != nil {
		return nil, err
	}
	held := map[string]tree.Hash{}
	parts := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	for i := 0; i+1 < len(parts); i += 2 {
		fields := strings.Fields(parts[i]) // :oldmode newmode oldhash newhash status
		if len(fields) != 5 {
			return nil, fmt.Errorf("git diff-index: cannot read %q", parts[i])
		}
		if held[parts[i+1]], err = tree.ParseHash(fields[3]); err != nil {
			return nil, fmt.Errorf("git diff-index: %w", err)
		}
	}
	return held, nil
}

func refreshCheckout(e *examination, merge gitstore.Commit, t gitstore.Worktree) func(context.Context) error {
	return func(context.Context) error {
		_, err := e.w.Repo.RefreshWorktree(merge.Parents[0], t.Head.Commit)
		return err
	}
}
