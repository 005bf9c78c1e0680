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

// Openings by this user's programs are recorded outside the repository, to distinguish an
// agent's own journals from those that others write in its name.

// Above keptOpenings bytes the file is cut to its newer half; maxOpenings bounds the bytes
// read.
const (
	keptOpenings = 1 << 20
	maxOpenings  = 8 << 20
)

// Opening is a proposal or a run that was opened here.
type Opening struct {
	ID string `json:"id"`
	// By is the proposal's author, or the agent that the run is for.
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

// SaveOpening records that a proposal or a run is opened here.
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
		// The leading line break ends a torn line.
		return own.Append(file, append([]byte("\n"), line...))
	})
	if err != nil {
		return fmt.Errorf("record an opening: %w", err)
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

// LoadOpenings returns the recorded openings by ID, or nil if there are none.
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
		return nil, fmt.Errorf("read the recorded openings: %w", err)
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
