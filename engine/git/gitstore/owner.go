package gitstore

import (
	"context"
	"fmt"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/git/gitrun"
)

// checkOwner refuses a repository of another user as git does: its configuration
// names programs that git would run while a checkout follows a merge, and its
// owner can change what is in force during a read. Git says
// which owners the user trusts all the same (safe.directory).
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

// gitTrusts asks the git program whether it would work there. Without it
// the answer is no.
func gitTrusts(dir string) bool {
	_, err := gitrun.Output(context.Background(), gitrun.Call{Dir: dir, Args: []string{"rev-parse", "--git-dir"}}, "")
	return err == nil
}
