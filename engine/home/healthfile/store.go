package healthfile

import (
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

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/health"
)

// Store is what is known of one workspace.
type Store struct{ dir string }

// New returns the store of a workspace, kept below home. Nothing is created before
// something is noted.
func New(home, workspace string) *Store {
	return &Store{dir: filepath.Join(home, "health", workspace)}
}

// The file's version, how many contents of one capability are remembered, and how often
// a busy lock is tried again.
const (
	version = 1
	most    = 16
	retry   = 2 * time.Millisecond
)

const extension = ".json"

// Record is the file of one capability.
type Record struct {
	V    int    `json:"v"`
	Name string `json:"name"`
	// Entries are of its contents, the one that was touched last first.
	Entries []health.Entry `json:"entries"`
	// Patterns are the errors that its records know and that were met here, of all contents, the one
	// that was met last first.
	Patterns []health.Pattern `json:"patterns,omitempty"`
}

// Pattern is how often an error that a record knows was met here; Seen is 0 where it never was.
func (r Record) Pattern(match string) health.Pattern {
	key := health.PatternKey(match)
	for _, p := range r.Patterns {
		if p.Key == key {
			return p
		}
	}
	return health.Pattern{Key: key}
}

// Entry returns the health of one content, a pending one where nothing is known.
func (r Record) Entry(digest string, v capability.Version) health.Entry {
	for _, e := range r.Entries {
		if e.Digest == digest {
			return e
		}
	}
	return health.New(digest, v)
}

// put replaces the entry of a content and has it first.
func (r *Record) put(e health.Entry) {
	r.Entries = slices.DeleteFunc(r.Entries, func(old health.Entry) bool { return old.Digest == e.Digest })
	r.Entries = slices.Insert(r.Entries, 0, e)
	r.Entries = r.Entries[:min(len(r.Entries), most)]
}

// file is where a capability's record lies. Names that are no file names on some system
// are replaced by their digest.
func (s *Store) file(name string) string {
	name = names.Fold(name)
	if !names.IsName(name) {
		sum := sha256.Sum256([]byte(name))
		name = "_" + hex.EncodeToString(sum[:16])
	}
	return filepath.Join(s.dir, name+extension)
}

// Read returns what is known of a capability, as it is at this moment.
func (s *Store) Read(name string) (Record, error) { return read(s.file(name), name) }

func read(file, name string) (Record, error) {
	r := Record{V: version, Name: name}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, fmt.Errorf("reading the health of %s: %w", name, err)
	}
	//defence:damaged-health-is-an-error
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("reading %s: it is damaged; remove it, and the capability's health begins anew: %w", file, err)
	}
	if r.V != version || slices.ContainsFunc(r.Entries, func(e health.Entry) bool { return !slices.Contains(health.States(), e.State) }) {
		return r, fmt.Errorf("reading %s: it is damaged, or of another version; remove it, and the capability's health begins anew", file)
	}
	return r, nil
}

// All returns the records of all capabilities of which something is known, by name.
func (s *Store) All() ([]Record, error) {
	files, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("listing the health of capabilities: %w", err)
	}
	var out []Record
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), extension) || strings.HasPrefix(f.Name(), ".") {
			continue
		}
		r, err := read(filepath.Join(s.dir, f.Name()), strings.TrimSuffix(f.Name(), extension))
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// Change has the health of one content changed, under its lock: before is what is known
// when it is this process's turn. Where f fails nothing is kept. What is returned was
// synced.
func (s *Store) Change(ctx context.Context, name, digest string, v capability.Version, f func(before health.Entry) (health.Entry, error)) (before, after health.Entry, err error) {
	return s.change(ctx, name, digest, v, func(_ *Record, e health.Entry) (health.Entry, error) { return f(e) })
}

// Note adds a piece of evidence. The error is a *health.Illegal where it cannot count.
func (s *Store) Note(ctx context.Context, name, digest string, v capability.Version, ev health.Evidence, t health.Thresholds) (before, after health.Entry, err error) {
	return s.change(ctx, name, digest, v, func(r *Record, e health.Entry) (health.Entry, error) {
		if ev.Pattern != nil {
			r.Patterns = health.Meet(r.Patterns, *ev.Pattern, v, ev.At)
		}
		return e.Step(ev, t)
	})
}

// change is Change, for who changes the record around the content as well.
func (s *Store) change(ctx context.Context, name, digest string, v capability.Version, f func(*Record, health.Entry) (health.Entry, error)) (before, after health.Entry, err error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return before, after, fmt.Errorf("making a folder for the health of capabilities: %w", err)
	}
	file := s.file(name)
	lock := flock.New(file + ".lock")
	if _, err := lock.TryLockContext(ctx, retry); err != nil {
		return before, after, fmt.Errorf("locking %s: %w", file, err)
	}
	defer lock.Close()
	r, err := read(file, name)
	if err != nil {
		return before, after, err
	}
	before = r.Entry(digest, v)
	if after, err = f(&r, before); err != nil {
		return before, before, err
	}
	r.put(after)
	data, err := json.Marshal(r)
	if err != nil {
		return before, before, fmt.Errorf("encoding the health of %s: %w", name, err)
	}
	if err := maybe.WriteFile(file, append(data, '\n'), 0o600); err != nil {
		return before, before, fmt.Errorf("noting the health of %s: %w", name, err)
	}
	return before, after, nil
}
