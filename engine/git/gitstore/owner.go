package gitstore

import (
	"context"
	"fmt"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/git/gitrun"
)

// checkOwner refuses a repository of another user as git does. Its configuration names programs
// that git would run when a checkout follows a merge, and its owner could change files during a
// read. Git decides which other owners the user trusts (safe.directory).
func checkOwner(gitDir, root string) error {
	at := root
	if at == "" {
		at = gitDir
	}
	foreign := ownedByAnother(gitDir)
	if root != "" {
		foreign = foreign || ownedByAnother(root)
	}
	if !foreign || gitTrusts(at) {
		return nil
	}
	return fmt.Errorf("%s belongs to another user; if you trust them: git config --global --add safe.directory %s: %w", at, names.ForShell(at), ErrOwner)
}

// gitTrusts reports whether the git program would work in dir. It returns false if git is not
// installed.
func gitTrusts(dir string) bool {
	_, err := gitrun.Output(context.Background(), gitrun.Call{Dir: dir, Args: []string{"rev-parse", "--git-dir"}}, "")
	return err == nil
}
