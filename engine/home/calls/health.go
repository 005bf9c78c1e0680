package calls

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

// Health stores the health of a workspace's capabilities.
type Health struct {
	in  home.Store
	dir string
}

// NewHealth returns the store of a workspace, kept below dir. The first change creates the
// folder.
func NewHealth(dir, workspace string) *Health {
	return &Health{in: home.At(dir), dir: "health/" + workspace}
}

// Version and size bound of a file, and how many contents of one capability it remembers.
const (
	healthVersion = 1
	maxHealthFile = 16 << 20
	maxContents   = 16
)

const healthExtension = ".json"

// HealthRecord is the file of one capability.
type HealthRecord struct {
	V    int    `json:"v"`
	Name string `json:"name"`
	// Entries has the health of each content, last changed first.
	Entries []health.Entry `json:"entries"`
	// Patterns counts the known error patterns that occurred here, for all contents, last
	// seen first.
	Patterns []health.Pattern `json:"patterns,omitempty"`
}

// Pattern returns the count of a known error pattern; Seen is 0 if it never occurred here.
func (r HealthRecord) Pattern(match string) health.Pattern {
	key := health.PatternKey(match)
	for _, p := range r.Patterns {
		if p.Key == key {
			return p
		}
	}
	return health.Pattern{Key: key}
}

// Entry returns the health of one content; a pending entry if nothing is recorded.
func (r HealthRecord) Entry(digest string, v capability.Version) health.Entry {
	for _, e := range r.Entries {
		if e.Digest == digest {
			return e
		}
	}
	return health.New(digest, v)
}

// put moves the entry of a content to the front, replacing an older one.
func (r *HealthRecord) put(e health.Entry) {
	r.Entries = slices.DeleteFunc(r.Entries, func(old health.Entry) bool { return old.Digest == e.Digest })
	r.Entries = slices.Insert(r.Entries, 0, e)
	r.Entries = r.Entries[:min(len(r.Entries), maxContents)]
}

// file returns the path of a capability's record. A name that is not portable as a file
// name is replaced by its digest.
func (h *Health) file(name string) string {
	name = names.Fold(name)
	if !names.IsName(name) {
		sum := sha256.Sum256([]byte(name))
		name = "_" + hex.EncodeToString(sum[:16])
	}
	return h.dir + "/" + name + healthExtension
}

// Read returns the current record of a capability.
func (h *Health) Read(name string) (HealthRecord, error) { return h.read(h.file(name), name) }

func (h *Health) read(file, name string) (HealthRecord, error) {
	data, err := h.in.Read(file, maxHealthFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return HealthRecord{}, fmt.Errorf("read the health of %s: %w", name, err)
	}
	return h.parse(file, name, data)
}

// parse decodes the file of a capability; nil data means that there is no file.
func (h *Health) parse(file, name string, data []byte) (HealthRecord, error) {
	r := HealthRecord{V: healthVersion, Name: name}
	if data == nil {
		return r, nil
	}
	//defence:damaged-health-is-an-error
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("reading %s: it is damaged; remove it, and the capability's health starts over: %w", h.in.Path(file), err)
	}
	if r.V != healthVersion || slices.ContainsFunc(r.Entries, func(e health.Entry) bool { return !slices.Contains(health.States(), e.State) }) {
		return r, fmt.Errorf("reading %s: it is damaged, or of another version; remove it, and the capability's health starts over", h.in.Path(file))
	}
	return r, nil
}

// All returns the records of all capabilities, sorted by file name.
func (h *Health) All() ([]HealthRecord, error) {
	files, err := h.in.List(h.dir)
	if err != nil {
		return nil, fmt.Errorf("list the health of capabilities: %w", err)
	}
	var out []HealthRecord
	for _, f := range files {
		name, ok := strings.CutSuffix(f.Name(), healthExtension)
		if !ok {
			continue
		}
		r, err := h.read(h.dir+"/"+f.Name(), name)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// Change updates the health of one content under the record's lock. f gets the entry as it
// is once the lock is held. If f fails, nothing is written and its error is returned.
// Otherwise the returned entries are on the disk.
func (h *Health) Change(ctx context.Context, name, digest string, v capability.Version, f func(before health.Entry) (health.Entry, error)) (before, after health.Entry, err error) {
	return h.change(ctx, name, digest, v, func(_ *HealthRecord, e health.Entry) (health.Entry, error) { return f(e) })
}

// Note adds one piece of evidence. The error is a *health.Illegal if the entry's state does
// not admit it.
func (h *Health) Note(ctx context.Context, name, digest string, v capability.Version, ev health.Evidence, t health.Thresholds) (before, after health.Entry, err error) {
	return h.change(ctx, name, digest, v, func(r *HealthRecord, e health.Entry) (health.Entry, error) {
		if ev.Pattern != nil {
			r.Patterns = health.Meet(r.Patterns, *ev.Pattern, v, ev.At)
		}
		return e.Step(ev, t)
	})
}

// change is Change whose f may also change the rest of the record.
func (h *Health) change(ctx context.Context, name, digest string, v capability.Version, f func(*HealthRecord, health.Entry) (health.Entry, error)) (before, after health.Entry, err error) {
	file := h.file(name)
	var failed error
	err = h.in.Change(ctx, file, maxHealthFile, func(old []byte) ([]byte, error) {
		r, err := h.parse(file, name, old)
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
