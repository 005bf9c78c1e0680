package keys

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/assent-dev/assent/engine/home"
)

// Commits that were in force are recorded outside the repository, where a push cannot reach
// them: a run follows the workflow of its own commit after main has moved on.

// maxInForce bounds the file, in bytes; beyond it the older half is dropped.
const maxInForce = 64 << 10

func inForceFile(workspace string) (home.Store, string, error) {
	if !workspaceID().MatchString(workspace) {
		return home.Store{}, "", fmt.Errorf("%q is no workspace id", workspace)
	}
	own, err := store()
	return own, "inforce/" + workspace, err
}

// WasInForce reports whether a commit, or the answer that one was not, is recorded.
func WasInForce(workspace, commit string) (bool, error) {
	own, file, err := inForceFile(workspace)
	if err != nil {
		return false, err
	}
	data, err := own.Read(file, maxInForce)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("read which commits were in force: %w", err)
	}
	return listed(data, commit), nil
}

// SaveInForce records a commit that is or was in force, or the answer that one was not.
func SaveInForce(ctx context.Context, workspace, commit string) error {
	own, file, err := inForceFile(workspace)
	if err != nil {
		return err
	}
	return own.Change(ctx, file, maxInForce, func(old []byte) ([]byte, error) {
		if listed(old, commit) {
			return old, nil
		}
		if len(old) > maxInForce/2 {
			_, old, _ = bytes.Cut(old[len(old)/2:], []byte("\n"))
		}
		return append(old, commit+"\n"...), nil
	})
}

func listed(lines []byte, commit string) bool {
	return slices.ContainsFunc(bytes.Split(lines, []byte("\n")), func(l []byte) bool { return string(l) == commit })
}
