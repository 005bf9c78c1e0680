package gitstore

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/google/renameio/v2/maybe"
)

// A refresh leaves edited files as they are, although the branch has other content by
// then. A note in the worktree's Git folder says which content these had: as long as they
// have it, they lack what the branch brought.

func keptNote(gitDir string) string { return filepath.Join(gitDir, "assent", "kept") }

// fingerprint tells whether a file is still the same; "" where none can be read.
func fingerprint(file string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// noteKept adds to the note of a worktree what a refresh left as it was, and drops files
// that changed since.
func noteKept(w Worktree, kept []Kept) error {
	note, err := readKept(w.GitDir)
	if err != nil {
		return err
	}
	before := len(note)
	for path, content := range note {
		if fingerprint(filepath.Join(w.Root, filepath.FromSlash(path))) != content {
			delete(note, path)
		}
	}
	for _, k := range kept {
		note[k.Path] = fingerprint(filepath.Join(w.Root, filepath.FromSlash(k.Path)))
	}
	if before+len(note) == 0 {
		return nil
	}
	data, err := json.Marshal(note)
	if err != nil {
		return err
	}
	if err := maybe.WriteFile(keptNote(w.GitDir), append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("noting which files stay as they were edited: %w", err)
	}
	return nil
}

func readKept(gitDir string) (map[string]string, error) {
	note := map[string]string{}
	data, err := os.ReadFile(keptNote(gitDir))
	if errors.Is(err, fs.ErrNotExist) {
		return note, nil
	}
	if err != nil {
		return note, fmt.Errorf("reading which files stay as they were edited: %w", err)
	}
	if json.Unmarshal(data, &note) != nil {
		return map[string]string{}, nil // cut off while it was written
	}
	return note, nil
}

// Stale returns the files of the worktree that a refresh left as they were edited and that
// did not change since, sorted: they lack what the branch brought meanwhile.
func (co *Checkouts) Stale() ([]string, error) {
	note, err := readKept(co.place.gitDir)
	var out []string
	for path, content := range note {
		if fingerprint(filepath.Join(co.place.root, filepath.FromSlash(path))) == content {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out, err
}
