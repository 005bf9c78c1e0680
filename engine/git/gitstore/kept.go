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

// A refresh leaves edited files unchanged although the branch has other content for them. A
// note in the worktree's Git folder records the branch's change of each.

func keptNote(gitDir string) string { return filepath.Join(gitDir, "assent", "kept") }

// missed is a branch's change of a file that was kept: the content from which the edit started,
// and the branch's newest. A zero hash means no file.
type missed struct {
	Was tree.Hash `json:"was"`
	Now tree.Hash `json:"now"`
}

// noteKept updates a worktree's note after changes of its branch: it adds the kept files, and
// drops those that match the branch again.
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
		return fmt.Errorf("recording edited files that were kept: %w", err)
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
		return note, fmt.Errorf("reading the record of kept files: %w", err)
	}
	if json.Unmarshal(data, &note) != nil {
		return map[string]missed{}, nil // a torn write
	}
	return note, nil
}

// Stale returns the files that a refresh left unchanged and that still lack the branch's change
// (see Lacks), sorted.
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

// Lacks reports whether have lacks a change from was to now: a line that was added, removed or
// moved differs in it. nil means no file. If both sides changed one line, only a person can
// decide whether have contains the change.
func Lacks(was, now, have []byte) bool {
	if bytes.Equal(now, have) || bytes.Equal(was, now) {
		return false
	}
	if now == nil || have == nil {
		return true
	}
	before, after, here := lineCounts(was, 1), lineCounts(now, 1), lineCounts(have, 1)
	if maps.Equal(before, after) { // moved lines show in pairs of lines
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

// lineCounts counts runs of non-blank lines.
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
