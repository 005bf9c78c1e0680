package triallog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// healthFile remembers the health up to a commit of each journal. Without it the journals are read
// again from their beginning.
const (
	healthFile    = "health.json"
	maxHealthFile = 64 << 20
)

// Health is the health of capabilities, from the trials of this installation and of listed ones. It
// may be used by several goroutines.
type Health struct {
	log    Log
	listed []trial.Writer
	limits health.Thresholds
	// Forgets is set to record nothing, as on a machine that is created for each pass.
	Forgets bool

	mu    sync.Mutex
	known folded
	own   trial.Writer
	// here has this installation's records with the trials that wait for a commit.
	here health.Records
	// forgotten are trials that were not recorded.
	forgotten []trial.Trial
	// seen names the commits and the trials that here is of.
	seen  string
	noted noted
}

// noted is a trial with the health of its content before and after it, whatever others record.
type noted struct {
	id            trial.ID
	before, after health.Entry
}

// folded is the content of the file. Another threshold gives another health.
type folded struct {
	Degraded int                          `json:"degraded"`
	Journals map[trial.Writer]foldedUntil `json:"journals"`
}

type foldedUntil struct {
	Tip     tree.Hash      `json:"tip"`
	Records health.Records `json:"records"`
}

// NewHealth returns the health by a log's trials. listed are the writers that policies name.
func NewHealth(l Log, listed map[string]trial.Writer, limits health.Thresholds) *Health {
	return &Health{log: l, listed: slices.Compact(slices.Sorted(maps.Values(listed))), limits: limits}
}

// Read returns the current health of a capability.
func (h *Health) Read(name string) (health.Record, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.refresh(); err != nil {
		return health.Record{}, err
	}
	return h.record(names.Fold(name)), nil
}

// All returns the health of all capabilities, by folded name.
func (h *Health) All() (health.Records, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.refresh(); err != nil {
		return nil, err
	}
	out := maps.Clone(h.here)
	for _, other := range h.known.Journals {
		for name := range other.Records {
			if r := h.record(name); len(r.Entries) > 0 {
				out[name] = r
			}
		}
	}
	return out, nil
}

// Note records a trial, and returns the health of its content before and after. The error is a
// *health.Illegal if the state does not admit the evidence; then nothing is recorded.
func (h *Health) Note(ctx context.Context, o trial.Observation) (before, after health.Entry, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.refresh(); err != nil {
		return before, after, err
	}
	t := trial.Trial{V: trial.FormatVersion, ID: trial.Next(trial.ID{}, h.log.now(), h.own), Observation: o}
	if before, after, err = maps.Clone(h.here).Add(t, h.limits); err != nil {
		return before, after, err
	}
	if h.Forgets {
		h.forgotten = append(h.forgotten, t)
	} else {
		recorded, err := h.log.Record(ctx, o)
		if err != nil {
			return before, before, err
		}
		t = recorded[0]
	}
	h.noted = noted{id: t.ID}
	err = h.refresh()
	one := func(e health.Entry) health.Entry {
		return h.heed(o.Capability, health.Record{Entries: []health.Entry{e}}).Entry(o.Blob, o.Version)
	}
	return one(h.noted.before), one(h.noted.after), err
}

// record is the health of one capability here, with what other installations saw.
func (h *Health) record(name string) health.Record { return h.heed(name, h.here[name]) }

func (h *Health) heed(name string, r health.Record) health.Record {
	var others []health.Record
	for _, w := range h.listed {
		if w != h.own {
			others = append(others, h.known.Journals[w].Records[name])
		}
	}
	return r.Heed(others, len(h.listed) == 1)
}

// refresh reads the trials that were added since. An unreadable journal of this installation is an
// error, because it may hold a quarantine. Another one is passed over, as for ranks.
func (h *Health) refresh() (err error) {
	if h.own, err = h.log.Own(); err != nil {
		return err
	}
	seen := fmt.Sprint(len(h.forgotten))
	for _, file := range []string{pendingFile, dayFile} {
		if info, err := h.log.files.Stat(file); err == nil {
			seen += fmt.Sprint(" ", info.Size())
		}
	}
	tips := map[trial.Writer]tree.Hash{}
	for _, w := range append([]trial.Writer{h.own}, h.listed...) {
		if w == "" {
			continue
		}
		if tips[w], err = h.log.head(w); err != nil {
			return err
		}
		seen += fmt.Sprint(" ", w, tips[w])
	}
	if seen == h.seen { // waiting trials are only appended until a commit takes them
		return nil
	}
	committed, err := h.fold(tips)
	if err != nil {
		return err
	}
	h.seen = seen
	return h.wait(committed)
}

// fold adds the trials of commits up to these. It returns the last one of this installation.
func (h *Health) fold(tips map[trial.Writer]tree.Hash) (committed trial.ID, err error) {
	if h.known.Journals == nil {
		h.load()
	}
	checks, changed := h.log.checks(h.own), false
	for w, tip := range tips {
		was := h.known.Journals[w]
		if tip.IsZero() {
			delete(h.known.Journals, w)
			continue
		}
		if was.Tip == tip && w != h.own {
			continue
		}
		b, err := checks.sound(w, tip, true)
		if err == nil && was.Tip != tip {
			h.known.Journals[w], err = h.foldOnto(was, tip)
			changed = true
		}
		//defence:damaged-health-is-an-error
		if err != nil && w == h.own {
			return committed, fmt.Errorf("the journal of this installation, %s: %w", Ref(w), err)
		}
		if err != nil {
			delete(h.known.Journals, w)
		}
		if w == h.own {
			committed = b.last
		}
	}
	if changed {
		checks.Keep()
		h.save()
	}
	return committed, nil
}

// wait adds the trials that wait for a commit.
func (h *Health) wait(committed trial.ID) error {
	h.here = health.Records{}
	maps.Copy(h.here, h.known.Journals[h.own].Records)
	var trials []trial.Trial
	if h.own != "" {
		waiting, err := h.log.waiting(h.own, committed)
		if err != nil {
			return err
		}
		trials = waiting
	}
	trials = append(trials, h.forgotten...)
	order.Stable(trials, func(a, b trial.Trial) int { return a.ID.Compare(b.ID) })
	for _, t := range trials {
		if err := h.add(h.here, t.Single()); err != nil {
			return err
		}
	}
	return nil
}

// add adds a trial. One that came too late for the state of its content changes nothing.
func (h *Health) add(r health.Records, t trial.Rolled) error {
	before, after, err := r.AddRolled(t, h.limits)
	if t.ID == h.noted.id {
		h.noted.before, h.noted.after = before, after
	}
	if illegal := (*health.Illegal)(nil); errors.As(err, &illegal) {
		return nil
	}
	return err
}

// foldOnto adds the trials of a journal up to a commit. If the journal does not contain the commit
// before, it begins with the first one.
func (h *Health) foldOnto(was foldedUntil, tip tree.Hash) (foldedUntil, error) {
	var batches []batch
	found := false
	err := h.log.repo.FirstParents(tip, func(c gitstore.Commit) (bool, error) {
		if found = c.Hash == was.Tip; found {
			return false, nil
		}
		b, err := parseBatch(c)
		batches = append(batches, b)
		return true, err
	})
	if err != nil {
		return was, err
	}
	out := foldedUntil{tip, health.Records{}}
	if found {
		maps.Copy(out.Records, was.Records)
	}
	view, err := h.log.repo.Snapshot(tip)
	if err != nil {
		return was, err
	}
	for _, b := range slices.Backward(batches) {
		e, err := view.Lookup(b.path())
		var c contents
		if err == nil {
			c, err = h.log.contentAt(e)
		}
		if err != nil {
			return was, fmt.Errorf("%s: %w", b.path(), err)
		}
		for _, t := range c.records {
			if err := h.add(out.Records, t); err != nil {
				return was, err
			}
		}
	}
	return out, nil
}

func (h *Health) load() {
	data, err := h.log.files.Read(healthFile, maxHealthFile)
	if err != nil || json.Unmarshal(data, &h.known) != nil || h.known.Degraded != h.limits.Degraded {
		h.known = folded{}
	}
	if h.known.Journals == nil {
		h.known = folded{h.limits.Degraded, map[trial.Writer]foldedUntil{}}
	}
}

// save keeps the health for the next process, if it can.
func (h *Health) save() {
	if data, err := json.Marshal(h.known); err == nil {
		_ = h.log.files.Cache(healthFile, data)
	}
}
