package keys

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/assent-dev/assent/engine/home"
)

// What this user's programs opened is remembered outside the repository, so that journals
// which others write in an agent's name can be told from the agent's own.

// The file is cut to its newer half above keptOpenings; maxOpenings bounds what is read.
const (
	keptOpenings = 1 << 20
	maxOpenings  = 8 << 20
)

// Opening is a proposal or a run that was opened here.
type Opening struct {
	ID string `json:"id"`
	// By is its author, or for whom a run is.
	By string `json:"by"`
	// Head is the first commit of a proposal; "" for a run.
	Head string `json:"head,omitempty"`
}

func openingsFile(workspace string) (home.Store, string, error) {
	if !workspaceID().MatchString(workspace) {
		return home.Store{}, "", fmt.Errorf("%q is no workspace id", workspace)
	}
	own, err := store()
	return own, "opened/" + workspace, err
}

// SaveOpening remembers that a proposal or a run is opened here.
func SaveOpening(ctx context.Context, workspace string, o Opening) error {
	own, file, err := openingsFile(workspace)
	if err != nil {
		return err
	}
	line, err := json.Marshal(o)
	if err != nil {
		return err
	}
	err = own.Locked(ctx, file+".lock", func() error {
		if info, err := own.Stat(file); err == nil && info.Size() > keptOpenings {
			if err := halve(own, file); err != nil {
				return err
			}
		}
		// The line break in front ends a line that a cut left unfinished.
		return own.Append(file, append([]byte("\n"), line...))
	})
	if err != nil {
		return fmt.Errorf("remember what was opened: %w", err)
	}
	return nil
}

// halve drops the older half of the lines.
func halve(own home.Store, file string) error {
	data, err := own.Read(file, maxOpenings)
	if err != nil {
		return err
	}
	_, newer, _ := bytes.Cut(data[len(data)/2:], []byte("\n"))
	return own.Write(file, newer)
}

// LoadOpenings returns what was opened here, by id; nil where nothing ever was.
func LoadOpenings(workspace string) (map[string]Opening, error) {
	own, file, err := openingsFile(workspace)
	if err != nil {
		return nil, err
	}
	data, err := own.Read(file, maxOpenings)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what was opened: %w", err)
	}
	out := map[string]Opening{}
	for line := range bytes.Lines(data) {
		var o Opening
		if json.Unmarshal(line, &o) == nil && o.ID != "" {
			out[o.ID] = o
		}
	}
	return out, nil
}
