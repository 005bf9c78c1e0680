package runlog

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// Active returns the active runs, sorted by id, and an error for each unreadable one.
func (l Log) Active() (states []run.State, damaged []error, err error) { return l.standing(false) }

// Standing is Active with those that ended and have not been folded: all that ended in
// the last time (see Rest) are among them.
func (l Log) Standing() (states []run.State, damaged []error, err error) { return l.standing(true) }

func (l Log) standing(ended bool) (states []run.State, damaged []error, err error) {
	refs, err := l.repo.Refs(Prefix)
	broken, err := gitstore.BrokenRefs(err)
	if err != nil {
		return nil, nil, fmt.Errorf("list the runs: %w", err)
	}
	for _, b := range broken {
		damaged = append(damaged, b)
	}
	for _, ref := range refs {
		if !ended {
			// An end is the last of every run, so that those that ended are not read.
			if last, err := journal.Last(l.repo, ref.Hash); err == nil && last.Kind == string(run.Ended) {
				continue
			}
		}
		s, err := l.Read(strings.TrimPrefix(ref.Name, Prefix))
		switch {
		case err != nil:
			damaged = append(damaged, fmt.Errorf("%s: %w", ref.Name, err))
		case ended || s.Outcome == "":
			states = append(states, s)
		}
	}
	return states, damaged, nil
}

// Several says that the beginning of an id is that of more than one run.
type Several struct {
	Arg string
	IDs []string
}

// Error lists them.
func (s *Several) Error() string {
	return fmt.Sprintf("%q means several runs: %s", s.Arg, strings.Join(s.IDs, ", "))
}

// Resolve returns the id of the run that arg is, or is the beginning of. Of several, the one
// that goes on is meant if there is only one; else the error is a *Several, and without any ErrNone.
func (l Log) Resolve(arg string) (string, error) {
	if IsID(arg) {
		if has, err := l.Has(arg); has || err != nil {
			return arg, err
		}
	}
	all, _, err := l.All()
	if err != nil {
		return "", err
	}
	var found, active []string
	for _, s := range all {
		if arg == "" || !strings.HasPrefix(s.ID, arg) {
			continue
		}
		if found = append(found, s.ID); s.Outcome == "" {
			active = append(active, s.ID)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(active) == 1:
		return active[0], nil
	case len(found) == 0:
		return "", fmt.Errorf("%q: %w", arg, ErrNone)
	}
	return "", &Several{arg, found}
}

// All returns every run in brief, sorted by id. For folded runs it reads the note made at folding,
// and no journal.
func (l Log) All() (states []run.State, damaged []error, err error) {
	standing, damaged, err := l.Standing()
	if err != nil {
		return nil, nil, err
	}
	byID := map[string]run.State{}
	err = Shelf().Records(l.repo, func(rec journal.Record, err error) error {
		var s run.State
		if err == nil {
			err = json.Unmarshal(rec.Summary, &s)
		}
		if err == nil && (s.ID != rec.Name || s.Outcome == "") {
			err = fmt.Errorf("it is noted as the end of %q: %w", s.ID, run.ErrRecord)
		}
		if err != nil {
			damaged = append(damaged, fmt.Errorf("run %s in %s: %w", rec.Name, rec.Line, err))
			return nil
		}
		byID[s.ID] = s
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("list the runs that ended: %w", err)
	}
	for _, s := range standing {
		byID[s.ID] = s.Brief()
	}
	for _, s := range byID {
		states = append(states, s)
	}
	slices.SortFunc(states, func(a, b run.State) int { return strings.Compare(a.ID, b.ID) })
	return states, damaged, nil
}
