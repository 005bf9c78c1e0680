package calls

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
	// ID is derived from the content: a call that fails again in the same way has the same ID.
	ID string    `json:"id,omitempty"`
	At time.Time `json:"at,omitzero"`
	// Tool is the capability's name. Method is the called method if the capability is a server.
	Tool    string `json:"tool"`
	Method  string `json:"method,omitempty"`
	Version string `json:"version,omitempty"`
	// Input is the JSON object of the call's arguments, without secrets.
	Input json.RawMessage `json:"input"`
	Error string          `json:"error"`
	Type  string          `json:"error_type"`
}

// MaxInput bounds a kept input, in bytes of JSON. MaxFailures bounds the failures kept for
// one workspace; the oldest are dropped.
const (
	MaxInput    = 32 << 10
	MaxFailures = 50
)

// LastFailure names the newest failure in Find.
const LastFailure = "last"

// ErrNoFailure is returned by Find if no kept failure matches.
var ErrNoFailure = errors.New("no such failure is kept here")

// maxFailuresFile bounds the file: MaxFailures failures with escaped inputs and errors.
const maxFailuresFile = 16 << 20

// Failures are the failed calls of one workspace.
type Failures struct {
	in   home.Store
	file string
}

// NewFailures returns the failures of a workspace, kept below dir. The first Keep creates the file.
func NewFailures(dir, workspace string) *Failures {
	return &Failures{in: home.At(dir), file: "failures/" + workspace + ".json"}
}

// Keep records a failure and returns its ID. It records nothing and returns "" if the input
// exceeds MaxInput.
func (s *Failures) Keep(ctx context.Context, f Failure) (string, error) {
	if len(f.Input) > MaxInput {
		return "", nil
	}
	f.ID = failureID(f)
	err := s.in.Change(ctx, s.file, maxFailuresFile, func(old []byte) ([]byte, error) {
		kept, err := s.parse(old)
		if err != nil {
			return nil, err
		}
		kept = append(slices.DeleteFunc(kept, func(k Failure) bool { return k.ID == f.ID }), f)
		data, err := json.Marshal(kept[max(0, len(kept)-MaxFailures):])
		return append(data, '\n'), err
	})
	if err != nil {
		return "", fmt.Errorf("keep a failure: %w", err)
	}
	return f.ID, nil
}

// All returns the kept failures, newest last.
func (s *Failures) All() ([]Failure, error) {
	data, err := s.in.Read(s.file, maxFailuresFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read failures: %w", err)
	}
	return s.parse(data)
}

// parse decodes the file; nil data means that there is no file.
func (s *Failures) parse(data []byte) (out []Failure, err error) {
	if data == nil {
		return nil, nil
	}
	if err := json.Unmarshal(data, &out); err != nil {
		return nil, fmt.Errorf("read %s: it is damaged; remove it: %w", s.in.Path(s.file), err)
	}
	return out, nil
}

// Find returns the failure of tool with the given id, or the newest one if id is
// LastFailure. It returns ErrNoFailure if there is none.
func (s *Failures) Find(tool, id string) (Failure, error) {
	kept, err := s.All()
	if err != nil {
		return Failure{}, err
	}
	for _, f := range slices.Backward(kept) {
		if f.Tool == tool && (id == LastFailure || f.ID == id) {
			return f, nil
		}
	}
	return Failure{}, ErrNoFailure
}

func failureID(f Failure) string {
	var input bytes.Buffer
	if json.Compact(&input, f.Input) != nil {
		input.Write(f.Input)
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{f.Tool, f.Method, f.Version, f.Type, f.Error, input.String()}, "\x00")))
	return hex.EncodeToString(sum[:6])
}
