package gitstore

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
)

// checkEmbedded refuses a folder that has the form of a bare repository and is in a commit of the
// repository around it. Whoever can push there would choose the configuration, and the workspace, of
// all who work in that folder. Git refuses such folders with safe.bareRepository=explicit.
func checkEmbedded(dir string, ceilings []string) error {
	for at := filepath.Dir(dir); ; at = filepath.Dir(at) {
		gitDir, root, err := candidate(at)
		if err == nil && root != "" && !within(gitDir, dir) {
			//defence:embedded-repositories-are-refused
			if err := inCommit(gitDir, root, dir); err != nil {
				return err
			}
		}
		if above := filepath.Dir(at); at == above || slices.Contains(ceilings, above) {
			return nil
		}
	}
}

func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// inCommit returns ErrEmbedded if the commit that is checked out in a repository has a folder, or if
// that cannot be read.
func inCommit(gitDir, root, dir string) error {
	refused := fmt.Errorf("%s is in the worktree of %s: %w; leave the folder, or clone it to another place", dir, root, ErrEmbedded)
	outer, err := openAt(osDisk{}, gitDir, root)
	if err != nil {
		return refused
	}
	head, err := outer.Head()
	if err != nil {
		return refused
	}
	view, err := outer.Snapshot(head.Commit)
	if err != nil {
		return refused
	}
	rel, err := filepath.Rel(root, dir)
	if err != nil {
		return refused
	}
	// A symbolic link on the way is in the commit, too.
	for part, rest := "", filepath.ToSlash(rel); rest != ""; {
		first, more, _ := strings.Cut(rest, "/")
		part, rest = strings.TrimPrefix(part+"/"+first, "/"), more
		e, err := view.Lookup(part)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || e.Mode != tree.Dir || rest == "" {
			return refused
		}
	}
	return nil
}
