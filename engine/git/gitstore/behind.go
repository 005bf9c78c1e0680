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

// While a worktree is refreshed, a note in its Git folder names the commit whose files it
// shows. The note is removed when the refresh is done. A note found later was left by a refresh
// that failed or was killed; the next refresh starts from the commit that it names.

func (w Worktree) behindNote() string { return filepath.Join(w.GitDir, "assent", "behind") }

// Behind returns the commit whose files the worktree still shows, at least partly, because a
// refresh did not finish. It returns zero if no refresh is unfinished.
func (w Worktree) Behind() (tree.Hash, error) {
	text, err := os.ReadFile(w.behindNote())
	if errors.Is(err, fs.ErrNotExist) {
		return tree.Hash{}, nil
	}
	if err != nil {
		return tree.Hash{}, fmt.Errorf("reading the unfinished refresh of %s: %w", w.Root, err)
	}
	since, err := tree.ParseHash(strings.TrimSpace(string(text)))
	if err != nil {
		return tree.Hash{}, nil //nolint:nilerr // a torn note: the refresh had not changed anything yet
	}
	return since, nil
}

// noteBehind records that the worktree shows the files of since.
func (w Worktree) noteBehind(since tree.Hash) error {
	if err := os.MkdirAll(filepath.Dir(w.behindNote()), 0o755); err != nil {
		return err
	}
	return os.WriteFile(w.behindNote(), []byte(since.String()+"\n"), 0o644)
}

// lockRefresh waits until no other process refreshes the worktree. Calling done, or the end of the
// process, lets the next one continue. Without advisory locks, processes do not wait for each
// other.
func (w Worktree) lockRefresh() (done func(), err error) {
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
