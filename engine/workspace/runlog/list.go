package runlog

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// Active returns the active runs, sorted by id, and an error for each unreadable one.
func (l Log) Active() (states []run.State, damaged []error, err error) {
	return l.ActiveAnd(func(string) bool { return false })
}

// Standing is Active with those that ended and have not been folded: all that ended in
// the last time (see Rest) are among them.
func (l Log) Standing() (states []run.State, damaged []error, err error) {
	return l.ActiveAnd(func(string) bool { return true })
}

// ActiveAnd is Active with those of the chosen ids that ended and have not been folded.
func (l Log) ActiveAnd(chosen func(id string) bool) (states []run.State, damaged []error, err error) {
	refs, err := l.repo.Refs(Prefix)
	broken, err := gitstore.BrokenRefs(err)
	if err != nil {
		return nil, nil, fmt.Errorf("list the runs: %w", err)
	}
	for _, b := range broken {
		damaged = append(damaged, &Damaged{strings.TrimPrefix(b.Name, Prefix), b})
	}
	refs = slices.DeleteFunc(refs, func(ref gitstore.Ref) bool {
		// An end, or a kept output, is the last of every run, so that those that ended are not read.
		last, err := journal.Last(l.repo, ref.Hash)
		return !chosen(strings.TrimPrefix(ref.Name, Prefix)) && err == nil && run.Kind(last.Kind).Closes()
	})
	kept, unread := l.readable(refs)
	damaged = append(damaged, unread...)
	read := map[tree.Hash]run.State{} // refs at one event hold the same run
	for _, ref := range kept {
		id := strings.TrimPrefix(ref.Name, Prefix)
		s, again := read[ref.Hash]
		if !again {
			s, err = l.Read(id)
			if err != nil {
				damaged = append(damaged, &Damaged{id, fmt.Errorf("%s: %w", ref.Name, err)})
				continue
			}
			read[ref.Hash] = s
		}
		if s.ID = id; chosen(id) || s.Outcome == "" {
			states = append(states, s)
		}
	}
	order.Sort(states, func(a, b run.State) int { return strings.Compare(a.ID, b.ID) })
	return states, damaged, nil
}

// MaxListed bounds the journals that one list reads, in bytes. A run takes some kilobytes.
const MaxListed = 32 << 20

// readable returns the runs that a list reads, and errors that name the others. Anyone with
// permission to push can add journals, so a list has one budget for all of them. The smallest are
// read first: a large one crowds out no usual one.
func (l Log) readable(refs []gitstore.Ref) (kept []gitstore.Ref, unread []error) {
	sizes, origins, of := journal.Sizes{}, NewOrigins(l.repo), map[tree.Hash]int64{}
	refs = slices.DeleteFunc(refs, func(ref gitstore.Ref) bool {
		id := strings.TrimPrefix(ref.Name, Prefix)
		if !IsID(id) {
			return false
		}
		weight, _ := sizes.Of(l.repo, ref.Hash) // Read says why it cannot be read
		of[ref.Hash] = weight.Bytes
		err := origins.Other(weight.First, id)
		if err != nil {
			unread = append(unread, &Damaged{id, fmt.Errorf("%s: %w", ref.Name, err)})
		}
		return err != nil
	})
	order.Stable(refs, func(a, b gitstore.Ref) int { return cmp.Compare(of[a.Hash], of[b.Hash]) })
	left, paid := int64(MaxListed), map[tree.Hash]bool{}
	for _, ref := range refs {
		if !paid[ref.Hash] {
			left -= of[ref.Hash]
			paid[ref.Hash] = true
		}
		//defence:lists-of-runs-have-a-budget
		if left < 0 {
			unread = append(unread, &Damaged{
				strings.TrimPrefix(ref.Name, Prefix),
				fmt.Errorf("%s: its journal has %d bytes; a list of runs reads at most %d MiB, the smallest journals first", ref.Name, of[ref.Hash], MaxListed>>20),
			})
			continue
		}
		kept = append(kept, ref)
	}
	return kept, unread
}

// Damaged is a run that cannot be read.
type Damaged struct {
	ID  string
	err error
}

// Error says where it is, and why.
func (d *Damaged) Error() string { return d.err.Error() }

// Unwrap returns the cause.
func (d *Damaged) Unwrap() error { return d.err }

// Several says that the beginning of an id is that of more than one run, and names them with their states.
type Several struct {
	Arg  string
	Runs []string
}

// Error lists them.
func (s *Several) Error() string {
	return fmt.Sprintf("%q means several runs: %s", s.Arg, strings.Join(s.Runs, ", "))
}

// Resolve returns the id of the run that arg is, or is the beginning of. Of several, the one
// that goes on is meant if there is only one and all can be read, but not for a signature: anyone who can push
// ends runs, damages their journals, and begins others. Else the error is a *Several, and without any ErrNone.
func (l Log) Resolve(arg string, signing bool) (string, error) {
	_, random, whole := names.ParseProposalID(arg)
	//defence:words-are-no-whole-run
	if !strings.ContainsAny(random, "0123456789") {
		whole = false // its end may be a word, and the argument the beginning of another id
	}
	if whole {
		if has, err := l.Has(arg); has || err != nil {
			return arg, err
		}
	}
	all, damaged, err := l.All()
	if err != nil {
		return "", err
	}
	var found, active, shown []string
	//defence:damaged-runs-keep-their-prefix
	for _, err := range damaged {
		var d *Damaged
		if errors.As(err, &d) && arg != "" && strings.HasPrefix(d.ID, arg) {
			found, signing = append(found, d.ID), true
			shown = append(shown, d.ID+" (damaged)")
		}
	}
	for _, s := range all {
		if arg == "" || !strings.HasPrefix(s.ID, arg) {
			continue
		}
		if found = append(found, s.ID); s.Outcome == "" {
			active = append(active, s.ID)
		}
		shown = append(shown, s.ID+" ("+cmp.Or(string(s.Outcome), "active")+")")
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(active) == 1 && !signing:
		return active[0], nil
	case len(found) == 0:
		return "", fmt.Errorf("%q: %w", arg, ErrNone)
	}
	return "", &Several{arg, shown}
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
			damaged = append(damaged, &Damaged{rec.Name, fmt.Errorf("run %s in %s: %w", rec.Name, rec.Line, err)})
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
	order.Sort(states, func(a, b run.State) int { return strings.Compare(a.ID, b.ID) })
	return states, damaged, nil
}
