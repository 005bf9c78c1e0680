package triallog

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// parseDay reads the folder of a day: 2006/01/02.
func parseDay(path string) (trial.Day, error) {
	at, err := time.Parse("2006/01/02", path)
	if err != nil {
		return 0, err
	}
	return trial.DayOf(at), nil
}

// Continues checks that a journal goes on from one commit, which may be none, to another as
// its writer would have written it: each commit is signed, adds one batch of records with
// growing ids, and adds exactly their sums to the counts. It may also be the same journal with
// erased records up to that one. The error wraps ErrJournal where that is not so.
func Continues(l Log, w trial.Writer, from, to tree.Hash) error {
	left := math.MaxInt
	_, _, err := continues(l, w, from, to, &left)
	return err
}

// continues is Continues while records are left. It returns the last checked commit, and how many
// remain.
func continues(l Log, w trial.Writer, from, to tree.Hash, left *int) (at tree.Hash, remain int, err error) {
	line, err := lineOf(l, to, from)
	if err != nil {
		return from, 0, err
	}
	if !from.IsZero() && len(line) > 0 {
		oldest, err := l.repo.Commit(line[len(line)-1])
		if err != nil {
			return from, 0, err
		}
		if len(oldest.Parents) == 0 { // from is not below it
			was := from
			if from, line, err = erased(l, w, from, line, left); err != nil {
				return was, 0, err
			}
		}
	}
	before, view, err := start(l, w, from)
	if err != nil {
		return from, 0, err
	}
	for i := len(line) - 1; i >= 0; i-- {
		//defence:strangers-are-checked-in-parts
		if *left <= 0 {
			return from, i + 1, nil
		}
		c, b, err := l.signed(line[i], w)
		if err != nil {
			return from, 0, err
		}
		after, err := l.repo.Snapshot(c.Hash)
		if err != nil {
			return from, 0, err
		}
		parents := []tree.Hash{from}
		if from.IsZero() {
			parents = nil
		}
		if !slices.Equal(c.Parents, parents) {
			return from, 0, fmt.Errorf("commit %s does not follow %s: the journal was cut or forked: %w", c.Hash.Short(), name(from), ErrJournal)
		}
		if err := grown(before, b, view, after); err != nil {
			return from, 0, fmt.Errorf("commit %s: %w", c.Hash.Short(), err)
		}
		before, view, from = b, after, c.Hash
		*left -= commitCost + b.trials
	}
	if from != to {
		return from, 0, fmt.Errorf("it does not go on from %s: %w", name(from), ErrJournal)
	}
	return from, 0, nil
}

func name(h tree.Hash) string {
	if h.IsZero() {
		return "nothing"
	}
	return h.Short()
}

func start(l Log, w trial.Writer, from tree.Hash) (b batch, view *gitstore.Snapshot, err error) {
	if !from.IsZero() {
		if _, b, err = l.signed(from, w); err != nil {
			return b, nil, err
		}
	}
	view, err = l.repo.Snapshot(from)
	return b, view, err
}

// grown checks one commit against the one before it.
func grown(before, b batch, was, is tree.View) error {
	changes, err := tree.Diff(was, is)
	if err != nil {
		return err
	}
	if b.sequence != before.sequence+1 || len(changes) != 2 {
		return fmt.Errorf("it is number %d after %d and changes %d files, and a batch adds one and changes one: %w", b.sequence, before.sequence, len(changes), ErrJournal)
	}
	text, err := is.Read(b.path())
	if err != nil {
		return fmt.Errorf("its records: %w: %w", err, ErrJournal)
	}
	if len(text) > b.most()*trial.MaxLine {
		return fmt.Errorf("its records have %d bytes: %w", len(text), ErrJournal)
	}
	c, err := readContent(b.path(), text)
	if err != nil {
		return fmt.Errorf("%w: %w", err, ErrJournal)
	}
	if err := ordered(before, b, c); err != nil {
		return err
	}
	want, err := edits(was, b, c)
	if err != nil {
		return err
	}
	for _, e := range want {
		if got, err := is.Read(e.Path); err != nil || !bytes.Equal(got, e.Content) {
			return fmt.Errorf("%s is not the sum of the records: %w", e.Path, ErrJournal)
		}
	}
	return nil
}

// most is how many records the batch may have.
func (b batch) most() int {
	if b.rolled {
		return maxRoll
	}
	return MaxBatch
}

// ordered checks that the ids of a batch are its writer's, increasing, and of one day.
func ordered(before, b batch, c contents) error {
	last, trials := before.last, c.records
	for _, p := range c.parts {
		if p.First.Compare(before.last) <= 0 || !p.First.By(b.writer) || !p.Last.By(b.writer) {
			return fmt.Errorf("its rows begin with %s, which does not follow %s: %w", p.First, before.last, ErrJournal)
		}
	}
	for _, t := range trials {
		if !t.ID.By(b.writer) || t.ID.Compare(last) <= 0 || trial.DayOf(t.ID.Time()) != trial.DayOf(b.last.Time()) {
			return fmt.Errorf("the id %s does not follow %s on that day: %w", t.ID, last, ErrJournal)
		}
		last = t.ID
	}
	if len(trials) == 0 || len(trials) > b.most() || len(trials) != b.trials || last != b.last {
		return fmt.Errorf("it claims %d trials that end with %s, but has %d that end with %s: %w", b.trials, b.last, len(trials), last, ErrJournal)
	}
	return nil
}
