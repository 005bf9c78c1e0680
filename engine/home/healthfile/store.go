package healthfile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/home"
	"github.com/assent-dev/assent/engine/registry/health"
)

// Store is what is known of one workspace.
type Store struct {
	in  home.Store
	dir string
}

// New returns the store of a workspace, kept below dir. Nothing is created before
// something is noted.
func New(dir, workspace string) *Store {
	return &Store{in: home.At(dir), dir: "health/" + workspace}
}

// The file's version and bound, and how many contents of one capability are remembered.
const (
	version = 1
	maxFile = 16 << 20
	most    = 16
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
	return s.dir + "/" + name + extension
}

// Read returns what is known of a capability, as it is at this moment.
func (s *Store) Read(name string) (Record, error) { return s.read(s.file(name), name) }

func (s *Store) read(file, name string) (Record, error) {
	data, err := s.in.Read(file, maxFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Record{}, fmt.Errorf("read the health of %s: %w", name, err)
	}
	return s.parse(file, name, data)
}

// parse reads the file of a capability; nil means no file.
func (s *Store) parse(file, name string, data []byte) (Record, error) {
	r := Record{V: version, Name: name}
	if data == nil {
		return r, nil
	}
	//defence:damaged-health-is-an-error
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("reading %s: it is damaged; remove it, and the capability's health starts over: %w", s.in.Path(file), err)
	}
	if r.V != version || slices.ContainsFunc(r.Entries, func(e health.Entry) bool { return !slices.Contains(health.States(), e.State) }) {
		return r, fmt.Errorf("reading %s: it is damaged, or of another version; remove it, and the capability's health starts over", s.in.Path(file))
	}
	return r, nil
}

// All returns all capabilities' records, by name.
func (s *Store) All() ([]Record, error) {
	files, err := s.in.List(s.dir)
	if err != nil {
		return nil, fmt.Errorf("list the health of capabilities: %w", err)
	}
	var out []Record
	for _, f := range files {
		name, ok := strings.CutSuffix(f.Name(), extension)
		if !ok {
			continue
		}
		r, err := s.read(s.dir+"/"+f.Name(), name)
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

// change is Change for callers that also change the record around the content.
func (s *Store) change(ctx context.Context, name, digest string, v capability.Version, f func(*Record, health.Entry) (health.Entry, error)) (before, after health.Entry, err error) {
	file := s.file(name)
	var failed error
	err = s.in.Change(ctx, file, maxFile, func(old []byte) ([]byte, error) {
		r, err := s.parse(file, name, old)
		if err != nil {
			return nil, err
		}
		before = r.Entry(digest, v)
		if after, failed = f(&r, before); failed != nil {
			return nil, failed
		}
		r.put(after)
		data, err := json.Marshal(r)
		return append(data, '\n'), err
	})
	if failed != nil {
		return before, before, failed
	}
	if err != nil {
		return before, before, fmt.Errorf("note the health of %s: %w", name, err)
	}
	return before, after, nil
}
