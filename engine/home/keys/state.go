package keys

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"sync"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/home"
)

// stateVersion is the version of the state file's format.
const stateVersion = 1

// State is the newest state that this user has seen of one workspace. It is stored outside the
// repository, so rolling the repository back does not roll it back.
type State struct {
	V int `json:"v"`
	// Workspace is the workspace's id.
	Workspace string `json:"workspace"`
	// Genesis is the first attested commit; it never changes.
	Genesis tree.Hash `json:"genesis"`
	// Tip is the newest attested commit seen: main must descend from it.
	Tip tree.Hash `json:"tip"`
	// Judged is the newest merge up to Tip; zero in records of programs up to 0.4.0.
	Judged tree.Hash `json:"judged,omitzero"`
	// SeenAt is the time when Tip was seen.
	SeenAt time.Time `json:"seen_at"`
}

// ErrState is returned for an invalid state file.
var ErrState = errors.New("it is damaged, or of another version or workspace")

// ErrGenesis is returned if a workspace's first attested commit changed.
var ErrGenesis = errors.New("the workspace's genesis is not the one that was seen before")

var workspaceID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`) })

// maxState bounds the state file, in bytes.
const maxState = 64 << 10

func stateFile(workspace string) (home.Store, string, error) {
	if !workspaceID().MatchString(workspace) {
		return home.Store{}, "", fmt.Errorf("%q is no workspace id", workspace)
	}
	own, err := store()
	return own, "state/" + workspace + ".json", err
}

// LoadState returns the state seen of a workspace; ok is false if it was never seen. A damaged
// file is an error, not "never seen": destroying the record must not bypass it.
func LoadState(workspace string) (s State, ok bool, err error) {
	own, file, err := stateFile(workspace)
	if err != nil {
		return State{}, false, err
	}
	data, err := own.Read(file, maxState)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return State{}, false, nil
	case errors.Is(err, home.ErrTooLarge):
		return State{}, false, fmt.Errorf("reading the state seen of the workspace: %w (%w)", ErrState, err)
	case err != nil:
		return State{}, false, fmt.Errorf("reading the state seen of the workspace: %w", err)
	}
	s, err = parseState(data, workspace)
	if err != nil {
		return State{}, false, fmt.Errorf("reading %s: %w", own.Path(file), err)
	}
	return s, true, nil
}

func parseState(data []byte, workspace string) (s State, err error) {
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&s); err != nil {
		return State{}, fmt.Errorf("%w (%w)", ErrState, err)
	}
	if s.V != stateVersion || s.Workspace != workspace || s.Genesis.IsZero() || s.Tip.IsZero() {
		return State{}, ErrState
	}
	return s, nil
}

// SaveState updates the state seen of a workspace. Under a lock it calls next with the current
// record, whose ok is false if there is none, and stores the record that next returns. So no
// process overwrites another's update. The genesis cannot change. When SaveState returns nil,
// the record is on the disk.
func SaveState(ctx context.Context, workspace string, next func(old State, ok bool) (State, error)) error {
	own, file, err := stateFile(workspace)
	if err != nil {
		return err
	}
	return own.Change(ctx, file, maxState, func(data []byte) ([]byte, error) {
		old, ok := State{}, data != nil
		if ok {
			if old, err = parseState(data, workspace); err != nil {
				return nil, fmt.Errorf("reading %s: %w", own.Path(file), err)
			}
		}
		s, err := next(old, ok)
		if err != nil {
			return nil, err
		}
		if ok && s.Genesis != old.Genesis {
			return nil, fmt.Errorf("%s, now %s: %w", old.Genesis.Short(), s.Genesis.Short(), ErrGenesis)
		}
		if s.Genesis.IsZero() || s.Tip.IsZero() {
			return nil, errors.New("recording the state seen: genesis and tip must be known")
		}
		s.V, s.Workspace, s.SeenAt = stateVersion, workspace, s.SeenAt.UTC()
		encoded, err := json.MarshalIndent(s, "", "  ")
		return append(encoded, '\n'), err
	})
}
