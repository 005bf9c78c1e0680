package keys

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2/maybe"

	"github.com/assent-dev/assent/engine/base/tree"
)

// stateVersion is the version of the state file's format.
const stateVersion = 1

// State is what this user has seen of one workspace. It lies outside the
// repository, so that rolling the repository back does not roll it back.
type State struct {
	V int `json:"v"`
	// Workspace is the workspace's id.
	Workspace string `json:"workspace"`
	// Genesis is the first attested commit; it never changes.
	Genesis tree.Hash `json:"genesis"`
	// Tip is the newest attested commit that was seen: main must descend from it.
	Tip tree.Hash `json:"tip"`
	// Judged is the newest merge up to Tip; zero in what programs up to 0.4.0 recorded.
	Judged tree.Hash `json:"judged,omitzero"`
	// SeenAt is when Tip was seen.
	SeenAt time.Time `json:"seen_at"`
}

// ErrState says that the file with what was seen holds something else.
var ErrState = errors.New("it is damaged, or of another version or workspace")

// ErrGenesis says that a workspace's first commit is another one than before.
var ErrGenesis = errors.New("the workspace's genesis is not the one that was seen before")

var workspaceID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`) })

// lockRetry is how often a busy lock is tried again.
const lockRetry = 20 * time.Millisecond

func statePath(workspace string) (string, error) {
	if !workspaceID().MatchString(workspace) {
		return "", fmt.Errorf("%q is no workspace id", workspace)
	}
	home, err := Home()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, "state", workspace+".json"), nil
}

// LoadState returns what was seen of a workspace; ok is false when it was never
// seen. A damaged file is an error, not "never seen": deleting knowledge must not
// be the way around it.
func LoadState(workspace string) (s State, ok bool, err error) {
	path, err := statePath(workspace)
	if err != nil {
		return State{}, false, err
	}
	return readState(path, workspace)
}

func readState(path, workspace string) (State, bool, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return State{}, false, nil
	}
	if err != nil {
		return State{}, false, fmt.Errorf("reading what was seen of the workspace: %w", err)
	}
	var s State
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&s); err != nil {
		return State{}, false, fmt.Errorf("reading %s: %w (%w)", path, ErrState, err)
	}
	if s.V != stateVersion || s.Workspace != workspace || s.Genesis.IsZero() || s.Tip.IsZero() {
		return State{}, false, fmt.Errorf("reading %s: %w", path, ErrState)
	}
	return s, true, nil
}

// SaveState records what was seen. Under a lock it hands what is recorded now to
// next, which returns what to record instead; ok is false when nothing is yet. So
// no process overwrites what another saw meanwhile. The genesis cannot change.
// When SaveState returns nil, the record is on the disk.
func SaveState(ctx context.Context, workspace string, next func(old State, ok bool) (State, error)) error {
	path, err := statePath(workspace)
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, privateDir); err != nil {
		return fmt.Errorf("making a folder for what was seen: %w", err)
	}
	lock := flock.New(path + ".lock")
	if _, err := lock.TryLockContext(ctx, lockRetry); err != nil {
		return fmt.Errorf("locking %s: %w", path, err)
	}
	defer lock.Close()
	old, ok, err := readState(path, workspace)
	if err != nil {
		return err
	}
	s, err := next(old, ok)
	if err != nil {
		return err
	}
	if ok && s.Genesis != old.Genesis {
		return fmt.Errorf("%s, now %s: %w", old.Genesis.Short(), s.Genesis.Short(), ErrGenesis)
	}
	return writeState(path, workspace, s)
}

func writeState(path, workspace string, s State) error {
	if s.Genesis.IsZero() || s.Tip.IsZero() {
		return errors.New("recording what was seen: genesis and tip must be known")
	}
	s.V, s.Workspace, s.SeenAt = stateVersion, workspace, s.SeenAt.UTC()
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding what was seen: %w", err)
	}
	if err := maybe.WriteFile(path, append(data, '\n'), privateFile); err != nil {
		return fmt.Errorf("recording what was seen: %w", err)
	}
	return syncDir(filepath.Dir(path))
}
