package failures

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2/maybe"
)

// Failure is one call that ran and gave no result.
type Failure struct {
	// ID is of the content: a call that fails again in the same way is the same failure.
	ID string    `json:"id,omitempty"`
	At time.Time `json:"at,omitzero"`
	// Tool is the capability's name, Method the method of a server that was called.
	Tool    string `json:"tool"`
	Method  string `json:"method,omitempty"`
	Version string `json:"version,omitempty"`
	// Input is the object that it was called with, without secrets.
	Input json.RawMessage `json:"input"`
	Error string          `json:"error"`
	Type  string          `json:"error_type"`
}

// MaxInput is the largest input that is kept, in bytes of JSON; MaxKept is how many
// failures are, of one workspace.
const (
	MaxInput = 32 << 10
	MaxKept  = 50
)

// Last is the name of the newest failure.
const Last = "last"

// ErrNone says that no such failure is kept.
var ErrNone = errors.New("no such failure is kept here")

const retry = 5 * time.Millisecond

// Store is where the failures of one workspace are kept.
type Store struct{ file string }

// New returns the store of a workspace, below dir. Nothing is created before something is
// kept.
func New(dir, workspace string) *Store {
	return &Store{file: filepath.Join(dir, "failures", workspace+".json")}
}

// Keep keeps a failure and returns its id; empty where its input is too large to be kept.
func (s *Store) Keep(ctx context.Context, f Failure) (string, error) {
	if len(f.Input) > MaxInput {
		return "", nil
	}
	f.ID = idOf(f)
	if err := os.MkdirAll(filepath.Dir(s.file), 0o700); err != nil {
		return "", fmt.Errorf("make a folder for failures: %w", err)
	}
	lock := flock.New(s.file + ".lock")
	if _, err := lock.TryLockContext(ctx, retry); err != nil {
		return "", fmt.Errorf("lock %s: %w", s.file, err)
	}
	defer lock.Close()
	kept, err := s.All()
	if err != nil {
		return "", err
	}
	kept = append(slices.DeleteFunc(kept, func(k Failure) bool { return k.ID == f.ID }), f)
	data, err := json.Marshal(kept[max(0, len(kept)-MaxKept):])
	if err != nil {
		return "", fmt.Errorf("write failures: %w", err)
	}
	if err := maybe.WriteFile(s.file, append(data, '\n'), 0o600); err != nil {
		return "", fmt.Errorf("keep a failure: %w", err)
	}
	return f.ID, nil
}

// All returns what is kept, the newest last.
func (s *Store) All() ([]Failure, error) {
	data, err := os.ReadFile(s.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read failures: %w", err)
	}
	var out []Failure
	if err := json.Unmarshal(data, &out); err != nil {
		return nil, fmt.Errorf("read %s: it is damaged; remove it: %w", s.file, err)
	}
	return out, nil
}

// Find returns the failure of a tool with that id, or its newest for Last. The error is
// ErrNone where there is none.
func (s *Store) Find(tool, id string) (Failure, error) {
	kept, err := s.All()
	if err != nil {
		return Failure{}, err
	}
	for _, f := range slices.Backward(kept) {
		if f.Tool == tool && (id == Last || f.ID == id) {
			return f, nil
		}
	}
	return Failure{}, ErrNone
}

func idOf(f Failure) string {
	var input bytes.Buffer
	if json.Compact(&input, f.Input) != nil {
		input.Write(f.Input)
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{f.Tool, f.Method, f.Version, f.Type, f.Error, input.String()}, "\x00")))
	return hex.EncodeToString(sum[:6])
}
