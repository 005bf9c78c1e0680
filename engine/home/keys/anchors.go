package keys

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/home"
)

// Re-anchors accepted by this user are recorded outside the repository, so that write access to
// the repository is not enough to accept one.

func acceptedFile(workspace string, commit tree.Hash) (home.Store, string, error) {
	if !workspaceID().MatchString(workspace) {
		return home.Store{}, "", fmt.Errorf("%q is no workspace id", workspace)
	}
	own, err := store()
	return own, "anchors/" + workspace + "/" + commit.String(), err
}

// Accept records that this user accepts a workspace's re-anchor in a commit.
func Accept(workspace string, commit tree.Hash) error {
	own, file, err := acceptedFile(workspace, commit)
	if err == nil {
		err = own.Write(file, []byte(commit.String()+"\n"))
	}
	if err != nil {
		return fmt.Errorf("record that a re-anchor is accepted: %w", err)
	}
	return nil
}

// Accepted reports whether this user accepted a workspace's re-anchor in a commit.
func Accepted(workspace string, commit tree.Hash) (bool, error) {
	own, file, err := acceptedFile(workspace, commit)
	if err != nil {
		return false, err
	}
	_, err = own.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read which re-anchors are accepted: %w", err)
	}
	return true, nil
}
