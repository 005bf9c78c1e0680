package reconcile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2/maybe"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/workspace"
)

// last is what the pass before remembers: a cache, which only says which schedules
// are due, whether main moved, and what ended since. Without it every schedule is due but
// for tests, and what ended lately starts its runs.
type last struct {
	At   time.Time `json:"at"`
	Main tree.Hash `json:"main"`
	// Known is nil where no workflow in force waited for what ends.
	Known *known `json:"known,omitempty"`
}

func lastFile(w *workspace.Workspace) string {
	return filepath.Join(w.Repo.CommonDir(), "assent", "reconciled")
}

func loadLast(w *workspace.Workspace) (last, error) {
	var l last
	data, err := os.ReadFile(lastFile(w))
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return l, fmt.Errorf("read when the last pass was: %w", err)
	}
	if json.Unmarshal(data, &l) != nil {
		return last{}, nil
	}
	return l, nil
}

// saveLast is called when a pass is over, with when it began. What happened in
// between is looked at again by the next one.
func saveLast(w *workspace.Workspace, l last) error {
	data, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("encode when the last pass was: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(lastFile(w)), 0o755); err != nil {
		return fmt.Errorf("remember this pass: %w", err)
	}
	if err := maybe.WriteFile(lastFile(w), append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("remember this pass: %w", err)
	}
	return nil
}
