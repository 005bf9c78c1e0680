package notify

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/flows/notice"
	"github.com/assent-dev/assent/engine/home"
)

// Names in the user's folder.
const (
	ConfigFile = "notify.yaml"
	memoryFile = "notified.json"
)

// Bounds of the files, in bytes.
const (
	maxConfig = 1 << 20
	maxMemory = 64 << 20
)

// Lifetimes of records and of claims.
const (
	abandoned   = 5 * time.Minute // then the claiming process was killed
	forgetAfter = 90 * 24 * time.Hour
	maxAttempts = 8
)

// Box records delivered notices. Dir is the user's own folder.
type Box struct {
	Dir string
	Now func() time.Time
}

// The states of an entry.
const (
	claimed = "claimed"
	told    = "told"
	failed  = "failed"
)

// entry is one telling of one person.
type entry struct {
	State     string    `json:"state"`
	Target    string    `json:"target"`
	Workspace string    `json:"workspace"`
	Proposal  string    `json:"proposal"`
	Event     string    `json:"event"`
	At        time.Time `json:"at"`
	Attempts  int       `json:"attempts,omitempty"`
	Error     string    `json:"error,omitempty"`
	// Due is a failed notice, to be sent again.
	Due *notice.Notice `json:"due,omitempty"`
}

// memory is the file.
type memory struct {
	V       int              `json:"v"`
	Entries map[string]entry `json:"entries"`
}

const memoryVersion = 1

// Config reads notify.yaml; ok is false without one.
func (b Box) Config() (src []byte, file string, ok bool, err error) {
	file = b.store().Path(ConfigFile)
	src, err = b.store().Read(ConfigFile, maxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, file, false, nil
	}
	if err != nil {
		return nil, file, false, fmt.Errorf("read the notification targets: %w", err)
	}
	return src, file, true, nil
}

func (b Box) store() home.Store { return home.At(b.Dir) }

func (b Box) read() (memory, error) {
	data, err := b.store().Read(memoryFile, maxMemory)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return memory{}, fmt.Errorf("read the record of notices: %w", err)
	}
	return b.parse(data)
}

// parse reads the file; nil data means that there is none.
func (b Box) parse(data []byte) (memory, error) {
	m := memory{V: memoryVersion, Entries: map[string]entry{}}
	if data == nil {
		return m, nil
	}
	if err := json.Unmarshal(data, &m); err != nil || m.V != memoryVersion || m.Entries == nil {
		return m, fmt.Errorf("%s is damaged or of another version; remove it, and pending notices are sent again", b.store().Path(memoryFile))
	}
	return m, nil
}

// change lets alter modify the memory, under a lock among all processes, and stores the
// result.
func (b Box) change(ctx context.Context, alter func(memory)) error {
	err := b.store().Change(ctx, memoryFile, maxMemory, func(old []byte) ([]byte, error) {
		m, err := b.parse(old)
		if err != nil {
			return nil, err
		}
		alter(m)
		for key, e := range m.Entries {
			if e.At.Before(b.Now().Add(-forgetAfter)) {
				delete(m.Entries, key)
			}
		}
		data, err := json.Marshal(m)
		return append(data, '\n'), err
	})
	if err != nil {
		return fmt.Errorf("record the notices: %w", err)
	}
	return nil
}

// maxWaiting limits the result of Waiting, the newest first.
const maxWaiting = 200

// Waiting lists the proposals of a workspace for which a notice said that they wait, and
// none since that they ended.
func (b Box) Waiting(workspace string) ([]string, error) {
	m, err := b.read()
	if err != nil {
		return nil, err
	}
	last := map[string]entry{}
	for _, e := range m.Entries {
		if e.Workspace == workspace && e.Event != notice.Task && e.Event != notice.Told && e.Event != notice.Ended && !e.At.Before(last[e.Proposal].At) {
			last[e.Proposal] = e
		}
	}
	ids := slices.Collect(maps.Keys(last))
	ids = slices.DeleteFunc(ids, func(id string) bool { return last[id].Event == notice.Merged })
	order.Sort(ids, func(a, b string) int {
		return cmp.Or(last[b].At.Compare(last[a].At), cmp.Compare(a, b))
	})
	return ids[:min(len(ids), maxWaiting)], nil
}

// Failures lists failed deliveries that will be tried again.
func (b Box) Failures() ([]Delivery, error) {
	m, err := b.read()
	var out []Delivery
	for _, key := range slices.Sorted(maps.Keys(m.Entries)) {
		if e := m.Entries[key]; e.State == failed && e.Due != nil {
			out = append(out, Delivery{Target: e.Target, Notice: *e.Due, Error: e.Error, Attempts: e.Attempts})
		}
	}
	return out, err
}

// backoff returns the delay after the given number of attempts.
func backoff(attempts int) time.Duration {
	return min(time.Minute<<min(attempts, 10), 6*time.Hour)
}
