package keys

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2/maybe"
)

// Stops of capabilities that were seen are remembered outside the repository, so that
// deleting their refs does not lift them. The content is checked by who reads it.

const maxStopFile = 64 << 10

func stopsDir(workspace string) (string, error) {
	if !workspaceID().MatchString(workspace) {
		return "", fmt.Errorf("%q is no workspace id", workspace)
	}
	home, err := Home()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, "stops", workspace), nil
}

// SaveStop remembers the stop record of that id, which must be a plain file name.
func SaveStop(workspace, id string, data []byte) error {
	dir, err := stopsDir(workspace)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, privateDir); err != nil {
		return fmt.Errorf("remember a stop: %w", err)
	}
	if err := maybe.WriteFile(filepath.Join(dir, id+".json"), data, privateFile); err != nil {
		return fmt.Errorf("remember a stop: %w", err)
	}
	return nil
}

// LoadStops returns the remembered records by id. A file that is too large is left out.
func LoadStops(workspace string) (map[string][]byte, error) {
	dir, err := stopsDir(workspace)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read remembered stops: %w", err)
	}
	out := map[string][]byte{}
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ".json")
		if info, err := e.Info(); !ok || err != nil || !info.Mode().IsRegular() || info.Size() > maxStopFile {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("read remembered stops: %w", err)
		}
		out[id] = data
	}
	return out, nil
}
