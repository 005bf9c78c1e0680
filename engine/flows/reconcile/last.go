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

// last is the memory of the previous pass: a cache that only says which schedules are due,
// whether main moved, and which proposals ended since. Without it every schedule except
// tests is due, and recently ended proposals start their runs.
type last struct {
	At   time.Time `json:"at"`
	Main tree.Hash `json:"main"`
	// Known is nil if no workflow in force had an event for ended proposals.
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

// saveLast stores the time at which a finished pass began, so the next pass looks again at
// everything that happened during it.
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
