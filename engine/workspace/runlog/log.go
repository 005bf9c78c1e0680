package runlog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// Prefix is where the journals are, EndedPrefix where those are folded that ended.
const (
	Prefix      = "refs/assent/runs/"
	EndedPrefix = "refs/assent/ended/"
)

// recordFile is the payload of an event.
const recordFile = "record.json"

// ErrNone says that there is no run of a name.
var ErrNone = errors.New("no such run")

// Agree runs an operation on a repository whose updates other clones must accept, and again on
// their state if they were faster. id is the run concerned, "" for none.
type Agree func(ctx context.Context, id string, operation func(*gitstore.Repo) error) error

// Log holds the runs of one repository.
type Log struct {
	repo   *gitstore.Repo
	agree  Agree
	agreed bool
	memory *Memory
}

// Of returns the runs of a repository that only this clone writes.
func Of(repo *gitstore.Repo) Log {
	return Log{repo: repo, agree: func(_ context.Context, _ string, operation func(*gitstore.Repo) error) error { return operation(repo) }}
}

// Agreed returns the same log; each step is agreed with other clones.
func (l Log) Agreed(with Agree) Log {
	l.agree, l.agreed = with, true
	return l
}

// IsAgreed reports whether each step in a log is agreed with other clones.
func IsAgreed(l Log) bool { return l.agreed }

// Shelf is where the journals of runs are, folded ones and others.
func Shelf() journal.Shelf {
	return journal.Shelf{Live: Prefix, Lines: journal.Lines{Folded: EndedPrefix, True: consistent}}
}

// IsID reports whether a run can be called so.
func IsID(id string) bool {
	_, _, ok := names.ParseProposalID(id)
	return ok
}

// Begin starts a run, unless one with this id exists: then began is false, and s is its present
// state.
func (l Log) Begin(ctx context.Context, id, by string, at time.Time, start run.Start) (s run.State, began bool, err error) {
	s, err = l.Append(ctx, id, by, at, func(s run.State) (*run.Record, error) {
		if began = s.Records == 0; !began {
			return nil, nil
		}
		return &run.Record{V: run.Version, Kind: run.Started, Start: &start}, nil
	})
	return s, began, err
}

// Has reports whether a run with this id exists, in any state.
func (l Log) Has(id string) (bool, error) { return Shelf().Has(l.repo, id) }

// Read returns the state of a run, or ErrNone. The error is run.ErrRecord if the journal holds
// invalid records.
func (l Log) Read(id string) (run.State, error) {
	if !IsID(id) {
		return run.State{}, fmt.Errorf("%q: %w", id, ErrNone)
	}
	events, folded, err := Shelf().FindAfter(l.repo, id, l.memory.of(id))
	if err != nil {
		return run.State{}, err
	}
	l.memory.keep(id, events)
	if len(events) == 0 {
		return run.State{}, fmt.Errorf("%q: %w", id, ErrNone)
	}
	s, err := fold(id, events)
	if err == nil && folded.Name != "" {
		err = agrees(folded, s)
	}
	return s, err
}

// consistent compares a record with its journal.
func consistent(rec journal.Record, events []journal.Event) error {
	s, err := fold(rec.Name, events)
	if err == nil && s.Outcome == "" {
		err = fmt.Errorf("%s notes the end of run %s, which has none: %w", rec.Line, rec.Name, run.ErrRecord)
	}
	if err != nil {
		return err
	}
	return agrees(rec, s)
}

// agrees holds the record of a folded journal against the journal: lists believe it.
func agrees(folded journal.Record, s run.State) error {
	var noted run.State
	err := json.Unmarshal(folded.Summary, &noted)
	if err == nil && !reflect.DeepEqual(noted, s.Brief()) {
		err = errors.New("it is not what its journal says")
	}
	if err != nil {
		return fmt.Errorf("what %s notes of run %s: %w: %w", folded.Line, s.ID, run.ErrRecord, err)
	}
	return nil
}

// Records returns those of a run, oldest first.
func (l Log) Records(id string) ([]run.Record, error) {
	events, err := Shelf().Read(l.repo, id)
	if err != nil {
		return nil, err
	}
	return records(events)
}

// Append lets next decide on the state of a run and appends the record that it
// returns; nil appends nothing. If another process was faster, it decides again. The
// state of a run that is not there has no records.
func (l Log) Append(ctx context.Context, id, by string, at time.Time, next func(run.State) (*run.Record, error)) (run.State, error) {
	if !IsID(id) {
		return run.State{}, fmt.Errorf("%q: %w", id, ErrNone)
	}
	var s run.State
	err := l.agree(ctx, id, func(repo *gitstore.Repo) error {
		_, err := Shelf().AppendWith(repo, id, func(history []journal.Event) (*journal.Event, journal.Moves, error) {
			rs, err := records(history)
			if err == nil {
				s, err = run.Of(id, rs)
			}
			if err != nil {
				return nil, journal.Moves{}, err
			}
			r, err := next(s)
			if err != nil || r == nil {
				return nil, journal.Moves{}, err
			}
			r.At, r.By = at.UTC(), by
			if r.Start != nil {
				start := *r.Start
				start.Run, r.Start = id, &start
			}
			if s, err = run.Of(id, append(rs, *r)); err != nil {
				return nil, journal.Moves{}, err
			}
			keep, err := keeping(id, *r)
			if err != nil {
				return nil, journal.Moves{}, err
			}
			e, err := event(*r)
			return e, journal.Moves{Before: keep}, err
		})
		return err
	})
	if err != nil {
		return s, fmt.Errorf("run %s: %w", id, err)
	}
	return s, nil
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
		r, err := recordOf(e)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

func recordOf(e journal.Event) (run.Record, error) {
	r, err := run.Decode(e.Files[recordFile])
	if err != nil {
		return r, fmt.Errorf("event %d: %w", e.Sequence, err)
	}
	if string(r.Kind) != e.Kind {
		return r, fmt.Errorf("event %d is called %q and its record %q: %w", e.Sequence, e.Kind, r.Kind, run.ErrRecord)
	}
	r.At, r.By = e.At, e.By
	return r, nil
}

// event returns a record as a journal event; the fields are for people who read the log.
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
	if r.Head != "" { // kept also if the branch of a delivered commit is deleted
		h, err := tree.ParseHash(r.Head)
		if err != nil {
			return nil, fmt.Errorf("the commit of job %q: %w", r.Job, err)
		}
		e.Anchors = append(e.Anchors, h)
	}
	return &e, nil
}

// Unreadable reports whether an error is about the content of a run's journal, as opposed to a failure of this machine.
func Unreadable(err error) bool {
	if gitstore.IsContent(err) {
		return true
	}
	for _, is := range []error{run.ErrRecord, ErrNone, journal.ErrNotJournal, journal.ErrVersion} {
		if errors.Is(err, is) {
			return true
		}
	}
	return false
}
