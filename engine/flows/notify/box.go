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

// entry records one notice to one recipient.
type entry struct {
	State     string    `json:"state"`
	Target    string    `json:"target"`
	Workspace string    `json:"workspace"`
	Proposal  string    `json:"proposal"`
	Event     string    `json:"event"`
	At        time.Time `json:"at"`
	Attempts  int       `json:"attempts,omitempty"`
	Error     string    `json:"error,omitempty"`
	// Due is a notice that was not delivered, to be sent again, and Round its round.
	Due   *notice.Notice `json:"due,omitempty"`
	Round string         `json:"round,omitempty"`
}

// since is the time from which an entry is kept: a notice that is tried again and again is not kept for ever.
func (e entry) since() time.Time {
	if e.Due != nil && !e.Due.At.IsZero() {
		return e.Due.At
	}
	return e.At
}

// memory is the file.
type memory struct {
	V       int              `json:"v"`
	Entries map[string]entry `json:"entries"`
	// Failing are the targets that took nothing in their last try, by name.
	Failing map[string]failing `json:"failing,omitempty"`
}

// failing is a target that took nothing in its last tries.
type failing struct {
	Tries int       `json:"tries"`
	Since time.Time `json:"since"`
	At    time.Time `json:"at"`
	Error string    `json:"error"`
}

// next is the time of the next try.
func (f failing) next() time.Time { return f.At.Add(backoff(f.Tries)) }

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
	m := memory{V: memoryVersion, Entries: map[string]entry{}, Failing: map[string]failing{}}
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
			if e.since().Before(b.Now().Add(-forgetAfter)) {
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
