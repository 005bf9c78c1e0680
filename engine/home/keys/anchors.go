package keys

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2/maybe"

	"github.com/assent-dev/assent/engine/base/tree"
)

// Re-anchors that this user accepted lie outside the repository, so that nobody who can
// write to that can accept one.

func acceptedFile(workspace string, commit tree.Hash) (string, error) {
	if !workspaceID().MatchString(workspace) {
		return "", fmt.Errorf("%q is no workspace id", workspace)
	}
	home, err := Home()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, "anchors", workspace, commit.String()), nil
}

// Accept records that this user accepts the re-anchor of a workspace in a commit.
func Accept(workspace string, commit tree.Hash) error {
	file, err := acceptedFile(workspace, commit)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), privateDir)
	}
	if err == nil {
		err = maybe.WriteFile(file, []byte(commit.String()+"\n"), privateFile)
	}
	if err != nil {
		return fmt.Errorf("record that a re-anchor is accepted: %w", err)
	}
	return nil
}

// Accepted reports whether this user accepted it.
func Accepted(workspace string, commit tree.Hash) (bool, error) {
	file, err := acceptedFile(workspace, commit)
	if err != nil {
		return false, err
	}
	_, err = os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read which re-anchors are accepted: %w", err)
	}
	return true, nil
}
