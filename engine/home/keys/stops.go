package keys

import (
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/home"
)

// Stops of capabilities that this user has seen are recorded outside the repository, so that
// deleting their refs does not lift them. Readers check the content.

const maxStopFile = 64 << 10

func stopsDir(workspace string) (home.Store, string, error) {
	if !workspaceID().MatchString(workspace) {
		return home.Store{}, "", fmt.Errorf("%q is no workspace id", workspace)
	}
	own, err := store()
	return own, "stops/" + workspace, err
}

// SaveStop records a stop. id must be a plain file name.
func SaveStop(workspace, id string, data []byte) error {
	own, dir, err := stopsDir(workspace)
	if err != nil {
		return err
	}
	if err := own.Write(dir+"/"+id+".json", data); err != nil {
		return fmt.Errorf("record a stop: %w", err)
	}
	return nil
}

// LoadStops returns the recorded stops by ID, without files that are too large.
func LoadStops(workspace string) (map[string][]byte, error) {
	own, dir, err := stopsDir(workspace)
	if err != nil {
		return nil, err
	}
	files, err := own.List(dir)
	if err != nil {
		return nil, fmt.Errorf("read recorded stops: %w", err)
	}
	out := map[string][]byte{}
	for _, f := range files {
		id, ok := strings.CutSuffix(f.Name(), ".json")
		if !ok || f.Size() > maxStopFile {
			continue
		}
		if out[id], err = own.Read(dir+"/"+f.Name(), maxStopFile); err != nil {
			return nil, fmt.Errorf("read recorded stops: %w", err)
		}
	}
	return out, nil
}
