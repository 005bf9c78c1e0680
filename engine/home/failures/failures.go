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
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/home"
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

// maxFile bounds the file: MaxKept failures with escaped inputs and errors.
const maxFile = 16 << 20

// Store is where the failures of one workspace are kept.
type Store struct {
	in   home.Store
	file string
}

// New returns the store of a workspace, below dir. Nothing is created before something is
// kept.
func New(dir, workspace string) *Store {
	return &Store{in: home.At(dir), file: "failures/" + workspace + ".json"}
}

// Keep keeps a failure and returns its id; empty where its input is too large to be kept.
func (s *Store) Keep(ctx context.Context, f Failure) (string, error) {
	if len(f.Input) > MaxInput {
		return "", nil
	}
	f.ID = idOf(f)
	err := s.in.Change(ctx, s.file, maxFile, func(old []byte) ([]byte, error) {
		kept, err := s.parse(old)
		if err != nil {
			return nil, err
		}
		kept = append(slices.DeleteFunc(kept, func(k Failure) bool { return k.ID == f.ID }), f)
		data, err := json.Marshal(kept[max(0, len(kept)-MaxKept):])
		return append(data, '\n'), err
	})
	if err != nil {
		return "", fmt.Errorf("keep a failure: %w", err)
	}
	return f.ID, nil
}

// All returns what is kept, the newest last.
func (s *Store) All() ([]Failure, error) {
	data, err := s.in.Read(s.file, maxFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read failures: %w", err)
	}
	return s.parse(data)
}

// parse reads the file; nil means no file.
func (s *Store) parse(data []byte) (out []Failure, err error) {
	if data == nil {
		return nil, nil
	}
	if err := json.Unmarshal(data, &out); err != nil {
		return nil, fmt.Errorf("read %s: it is damaged; remove it: %w", s.in.Path(s.file), err)
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
