package begin

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tempdir"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// onMain requires that main is checked out: the record is kept on main, and a workspace apart from
// the checked-out branch would be of no use.
func onMain(repo *gitstore.Repo, o initOptions) error {
	head, err := repo.Head()
	if err != nil {
		return err
	}
	if head.Branch == attest.MainRef {
		return nil
	}
	if _, err := repo.Ref(attest.MainRef); !errors.Is(err, gitstore.ErrNoRef) {
		if err == nil && !repo.Bare() {
			return console.Refused("git -C "+names.ShellWord(o.dir)+" switch main; then assent init "+names.ShellWord(o.dir), "a workspace begins on the branch main, and HEAD is at %s", orDetached(head))
		}
		return err
	}
	if head.Detached || !head.Commit.IsZero() {
		return console.Refused("if this history shall be main: git branch -m main; else make main first: git branch main",
			"assent keeps its record on the branch main, and this repository has none (HEAD is at %s)", orDetached(head))
	}
	if o.dryRun {
		return nil
	}
	return repo.PointUnbornHead(attest.MainRef)
}

func orDetached(head gitstore.Head) string {
	if head.Detached {
		return "commit " + head.Commit.Short()
	}
	return strings.TrimPrefix(head.Branch, "refs/heads/")
}

// notInside refuses a folder inside another repository's worktree: git would take the
// workspace there for a repository of its own, which the other one does not hold.
func notInside(dir string) error {
	outer, err := gitstore.Open(dir)
	if err != nil || outer.Bare() {
		return nil //nolint:nilerr // there is none above it; a fault of the folder itself is reported when it is opened
	}
	root, err := os.Stat(outer.Root())
	if err != nil {
		return fmt.Errorf("look at the repository above: %w", err)
	}
	if here, err := os.Stat(dir); err == nil && os.SameFile(root, here) {
		return nil
	}
	return console.Refused("to make a workspace of that repository: assent init "+names.ShellWord(outer.Root())+"; for one of its own: git init -b main "+names.ShellWord(dir)+", then assent init "+names.ShellWord(dir),
		"%s is inside the repository %s, and a workspace is a whole repository", dir, outer.Root())
}

// repository opens or makes the repository. A dry run makes a missing one in a temporary folder.
// cleanup removes a repository in which nothing was begun.
func repository(o initOptions) (*gitstore.Repo, func(), error) {
	nothing := func() {}
	if !o.dryRun {
		_, noFolder := os.Stat(o.dir)
		_, noOpen := gitstore.Open(o.dir)
		if err := os.MkdirAll(o.dir, 0o755); err != nil {
			return nil, nothing, fmt.Errorf("make the folder: %w", err)
		}
		repo, err := gitstore.Init(o.dir)
		if err != nil || noOpen == nil {
			return repo, nothing, err
		}
		return repo, func() {
			if _, err := repo.Ref(attest.MainRef); !errors.Is(err, gitstore.ErrNoRef) {
				return
			}
			_ = os.RemoveAll(filepath.Join(o.dir, ".git"))
			if noFolder != nil {
				_ = os.Remove(o.dir)
			}
		}, nil
	}
	if _, err := os.Stat(filepath.Join(o.dir, ".git")); err == nil {
		repo, err := gitstore.Open(o.dir)
		return repo, nothing, err
	}
	tmp, err := tempdir.Make("init")
	if err != nil {
		return nil, nothing, fmt.Errorf("make a temporary folder: %w", err)
	}
	repo, err := gitstore.Init(tmp)
	return repo, func() { os.RemoveAll(tmp) }, err
}
