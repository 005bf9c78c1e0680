package gitstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
)

// A worktree that is being refreshed has a note in its Git folder that names the
// commit whose files it shows. The note goes when the refresh is done; one that is
// found later was left by a refresh that failed or was killed, and the next one
// begins where that one did.

func (w Worktree) note() string { return filepath.Join(w.GitDir, "assent", "behind") }

// Behind returns the commit whose files the worktree still shows, at least in
// part, because a refresh of it did not end; zero when none is known of.
func (w Worktree) Behind() (tree.Hash, error) {
	text, err := os.ReadFile(w.note())
	if errors.Is(err, fs.ErrNotExist) {
		return tree.Hash{}, nil
	}
	if err != nil {
		return tree.Hash{}, fmt.Errorf("reading how far %s follows: %w", w.Root, err)
	}
	since, err := tree.ParseHash(strings.TrimSpace(string(text)))
	if err != nil {
		return tree.Hash{}, nil //nolint:nilerr // cut off while it was written: nothing had been touched
	}
	return since, nil
}

// begin notes that the worktree shows since.
func (w Worktree) begin(since tree.Hash) error {
	if err := os.MkdirAll(filepath.Dir(w.note()), 0o755); err != nil {
		return err
	}
	return os.WriteFile(w.note(), []byte(since.String()+"\n"), 0o644)
}

// alone waits until no other process refreshes the worktree, and returns what lets
// the next one. It ends with the process. Without advisory locks, processes do not
// wait for each other.
func (w Worktree) alone() (done func(), err error) {
	path := filepath.Join(w.GitDir, "assent", "refreshing")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := holdFile(f); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return nil, errors.Join(fmt.Errorf("waiting for another refresh: %w", err), f.Close())
	}
	return func() { _ = f.Close() }, nil
}
