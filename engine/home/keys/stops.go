package keys

import (
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/home"
)

// Stops of capabilities that were seen are remembered outside the repository, so that
// deleting their refs does not lift them. The reader checks the content.

const maxStopFile = 64 << 10

func stopsDir(workspace string) (home.Store, string, error) {
	if !workspaceID().MatchString(workspace) {
		return home.Store{}, "", fmt.Errorf("%q is no workspace id", workspace)
	}
	own, err := store()
	return own, "stops/" + workspace, err
}

// SaveStop remembers the stop record of that id, which must be a plain file name.
func SaveStop(workspace, id string, data []byte) error {
	own, dir, err := stopsDir(workspace)
	if err != nil {
		return err
	}
	if err := own.Write(dir+"/"+id+".json", data); err != nil {
		return fmt.Errorf("remember a stop: %w", err)
	}
	return nil
}

// LoadStops returns the remembered records by id. A file that is too large is left out.
func LoadStops(workspace string) (map[string][]byte, error) {
	own, dir, err := stopsDir(workspace)
	if err != nil {
		return nil, err
	}
	files, err := own.List(dir)
	if err != nil {
		return nil, fmt.Errorf("read remembered stops: %w", err)
	}
	out := map[string][]byte{}
	for _, f := range files {
		id, ok := strings.CutSuffix(f.Name(), ".json")
		if !ok || f.Size() > maxStopFile {
			continue
		}
		if out[id], err = own.Read(dir+"/"+f.Name(), maxStopFile); err != nil {
			return nil, fmt.Errorf("read remembered stops: %w", err)
		}
	}
	return out, nil
}
