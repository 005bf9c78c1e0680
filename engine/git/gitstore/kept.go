package gitstore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2/maybe"

	"github.com/assent-dev/assent/engine/base/tree"
)

// A refresh leaves edited files as they are, although the branch has other content by
// then. A note in the worktree's Git folder says what the branch brought to each of them.

func keptNote(gitDir string) string { return filepath.Join(gitDir, "assent", "kept") }

// missed is what a branch brought to a file that stayed as it was edited: the content
// that the edit began with, and the branch's newest. A zero hash is no file.
type missed struct {
	Was tree.Hash `json:"was"`
	Now tree.Hash `json:"now"`
}

// noteKept brings a worktree's note up to date after changes of its branch: it adds the
// files that stayed, and drops those that follow the branch again.
func noteKept(w Worktree, changes []tree.Change, kept []Kept) error {
	note, err := readKept(w.GitDir)
	if err != nil {
		return err
	}
	before := len(note)
	for _, c := range changes {
		if !slices.ContainsFunc(kept, func(k Kept) bool { return k.Path == c.Path }) {
			delete(note, c.Path)
			continue
		}
		m, again := note[c.Path]
		if m.Now = c.New.Hash; !again {
			m.Was = c.Old.Hash
		}
		note[c.Path] = m
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

func readKept(gitDir string) (map[string]missed, error) {
	note := map[string]missed{}
	data, err := os.ReadFile(keptNote(gitDir))
	if errors.Is(err, fs.ErrNotExist) {
		return note, nil
	}
	if err != nil {
		return note, fmt.Errorf("reading which files stay as they were edited: %w", err)
	}
	if json.Unmarshal(data, &note) != nil {
		return map[string]missed{}, nil // cut off while it was written
	}
	return note, nil
}

// Stale returns the files of the worktree, sorted, that a refresh left as they were edited
// and that still lack what the branch brought (Lacks).
func (co *Checkouts) Stale() ([]string, error) {
	note, err := readKept(co.place.gitDir)
	var out []string
	for path, m := range note {
		have, rerr := os.ReadFile(filepath.Join(co.place.root, filepath.FromSlash(path)))
		if rerr != nil {
			have = nil
		}
		was, werr := co.blobOrNil(m.Was)
		now, nerr := co.blobOrNil(m.Now)
		if err = errors.Join(err, werr, nerr); Lacks(was, now, have) {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out, err
}

func (co *Checkouts) blobOrNil(h tree.Hash) ([]byte, error) {
	if h.IsZero() {
		return nil, nil
	}
	text, err := co.objects.Blob(h)
	return append([]byte{}, text...), err
}

// Lacks reports whether a file lacks a change that others made to what it was edited from:
// a line that they added, took out or moved is not so in it. nil is no file. Where both
// sides changed one line, only a person can say whether the change is in there.
func Lacks(was, now, have []byte) bool {
	if bytes.Equal(now, have) || bytes.Equal(was, now) {
		return false
	}
	if now == nil || have == nil {
		return true
	}
	before, after, here := lineCounts(was, 1), lineCounts(now, 1), lineCounts(have, 1)
	if maps.Equal(before, after) { // moved lines are seen by their neighbours
		before, after, here = lineCounts(was, 2), lineCounts(now, 2), lineCounts(have, 2)
	}
	for line, n := range after {
		if n > before[line] && here[line] < n {
			return true
		}
	}
	for line, n := range before {
		if n > after[line] && here[line] > after[line] {
			return true
		}
	}
	return false
}

// lineCounts counts runs of lines that are not blank.
func lineCounts(text []byte, run int) map[string]int {
	var lines []string
	for line := range bytes.Lines(text) {
		if line = bytes.TrimRight(line, "\r\n"); len(bytes.TrimSpace(line)) > 0 {
			lines = append(lines, string(line))
		}
	}
	out := map[string]int{}
	for i := run; i <= len(lines); i++ {
		out[strings.Join(lines[i-run:i], "\n")]++
	}
	return out
}
