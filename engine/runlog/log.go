package runlog

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/gitstore"
	"github.com/assent-dev/assent/engine/journal"
	"github.com/assent-dev/assent/engine/names"
	"github.com/assent-dev/assent/engine/run"
	"github.com/assent-dev/assent/engine/tree"
)

// Prefix is where the journals are.
const Prefix = "refs/assent/runs/"

// recordFile is the payload of an event.
const recordFile = "record.json"

// ErrNone says that there is no run of a name.
var ErrNone = errors.New("no such run")

// Log is the runs of one repository.
type Log struct{ repo *gitstore.Repo }

// Of returns the runs of a repository.
func Of(repo *gitstore.Repo) Log { return Log{repo} }

// IsID reports whether a run can be called so.
func IsID(id string) bool {
	_, _, ok := names.ParseProposalID(id)
	return ok
}

// Begin starts a run, unless one of this id is there: then began is false, and the
// state is what became of it.
func (l Log) Begin(id, by string, at time.Time, start run.Start) (s run.State, began bool, err error) {
	s, err = l.Append(id, by, at, func(s run.State) (*run.Record, error) {
		if began = s.Records == 0; !began {
			return nil, nil
		}
		return &run.Record{V: run.Version, Kind: run.Started, Start: &start}, nil
	})
	return s, began, err
}

// Read returns the state of a run, or ErrNone. The error is run.ErrRecord for a
// journal that holds something else.
func (l Log) Read(id string) (run.State, error) {
	if !IsID(id) {
		return run.State{}, fmt.Errorf("%q: %w", id, ErrNone)
	}
	events, err := journal.Read(l.repo, Prefix+id)
	if err != nil {
		return run.State{}, err
	}
	if len(events) == 0 {
		return run.State{}, fmt.Errorf("%q: %w", id, ErrNone)
	}
	return fold(id, events)
}

// Records returns those of a run, oldest first.
func (l Log) Records(id string) ([]run.Record, error) {
	events, err := journal.Read(l.repo, Prefix+id)
	if err != nil {
		return nil, err
	}
	return records(events)
}

// Append lets next decide on the state of a run and appends the record that it
// returns; nil appends nothing. Where somebody else was faster, it decides again. The
// state of a run that is not there has no records.
func (l Log) Append(id, by string, at time.Time, next func(run.State) (*run.Record, error)) (run.State, error) {
	if !IsID(id) {
		return run.State{}, fmt.Errorf("%q: %w", id, ErrNone)
	}
	var s run.State
	_, err := journal.Append(l.repo, Prefix+id, func(history []journal.Event) (*journal.Event, error) {
		rs, err := records(history)
		if err == nil {
			s, err = run.Of(id, rs)
		}
		if err != nil {
			return nil, err
		}
		r, err := next(s)
		if err != nil || r == nil {
			return nil, err
		}
		r.At, r.By = at.UTC(), by
		if s, err = run.Of(id, append(rs, *r)); err != nil {
			return nil, err
		}
		return event(*r)
	})
	if err != nil {
		return s, fmt.Errorf("run %s: %w", id, err)
	}
	return s, nil
}

// Active returns the runs that go on, sorted by id; All returns every one. Those that
// cannot be read are left out and told beside.
func (l Log) Active() (states []run.State, damaged []error, err error) { return l.list(false) }

// All is Active with the runs that have ended.
func (l Log) All() (states []run.State, damaged []error, err error) { return l.list(true) }

func (l Log) list(all bool) (states []run.State, damaged []error, err error) {
	refs, err := l.repo.Refs(Prefix)
	broken, err := gitstore.BrokenRefs(err)
	if err != nil {
		return nil, nil, fmt.Errorf("list the runs: %w", err)
	}
	for _, b := range broken {
		damaged = append(damaged, b)
	}
	for _, ref := range refs {
		id := strings.TrimPrefix(ref.Name, Prefix)
		if !all {
			// An end is the last of every run, so that those that ended are not read.
			if last, err := journal.Last(l.repo, ref.Hash); err == nil && last.Kind == string(run.Ended) {
				continue
			}
		}
		s, err := l.Read(id)
		if err != nil {
			damaged = append(damaged, fmt.Errorf("%s: %w", ref.Name, err))
			continue
		}
		states = append(states, s)
	}
	return states, damaged, nil
}

func fold(id string, events []journal.Event) (run.State, error) {
	rs, err := records(events)
	if err != nil {
		return run.State{}, fmt.Errorf("run %s: %w", id, err)
	}
	return run.Of(id, rs)
}

func records(events []journal.Event) ([]run.Record, error) {
	var out []run.Record
	for _, e := range events {
		r, err := run.Decode(e.Files[recordFile])
		if err != nil {
			return nil, fmt.Errorf("event %d: %w", e.Sequence, err)
		}
		if string(r.Kind) != e.Kind {
			return nil, fmt.Errorf("event %d is called %q and its record %q: %w", e.Sequence, e.Kind, r.Kind, run.ErrRecord)
		}
		r.At, r.By = e.At, e.By
		out = append(out, r)
	}
	return out, nil
}

// event is a record as a journal keeps it; the fields are for people who read the log.
func event(r run.Record) (*journal.Event, error) {
	data, err := r.Encode()
	if err != nil {
		return nil, err
	}
	e := journal.Event{
		Kind: string(r.Kind), At: r.At, By: r.By, Note: strings.ReplaceAll(r.Reason, "\x00", ""),
		Files: map[string][]byte{recordFile: data}, Fields: map[string]string{},
	}
	for key, value := range map[string]string{"Job": r.Job, "Role": r.Role, "Outcome": string(r.Outcome), "Proposal": r.Proposal} {
		if value != "" {
			e.Fields[key] = value
		}
	}
	if r.Attempt > 0 {
		e.Fields["Attempt"] = strconv.Itoa(r.Attempt)
	}
	if r.Head != "" {
		head, err := tree.ParseHash(r.Head)
		if err != nil {
			return nil, fmt.Errorf("the commit of job %q: %w", r.Job, err)
		}
		e.Anchors = append(e.Anchors, head) // a branch may go, what was delivered stays
	}
	return &e, nil
}
