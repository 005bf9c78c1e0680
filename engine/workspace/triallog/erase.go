package triallog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// An erased journal has the batches of the one before it, with the same ids, and new commits from the
// first changed batch on. Its counts are again the sums of its records. A reader that has the journal
// before accepts it: each record is the same, or what trial.Trial.Erase leaves of it (continues).

// retainedFile names the instant up to which Retain erased.
const retainedFile = "retained"

// Selection says which records to erase. Empty fields select any.
type Selection struct {
	Agent, Mission string
	// Before selects records that were written before an instant, unless it is zero.
	Before time.Time
}

// Has reports whether a record is selected and has anything to erase.
func (s Selection) Has(t trial.Trial) bool {
	switch {
	case s.Agent != "" && t.Agent != s.Agent, s.Mission != "" && t.Mission != s.Mission:
		return false
	case !s.Before.IsZero() && !t.ID.Time().Before(s.Before):
		return false
	}
	return t.Identifies()
}

// mayHave reports whether a record among the rows of a part may be selected.
func (s Selection) mayHave(p trial.Part) bool {
	return !p.Erased && (s.Before.IsZero() || p.First.Time().Before(s.Before))
}

// Erase removes agent, mission and texts from the selected records of this installation, and returns how many
// those are. The journal's ref moves once, at the end. With dryRun it only counts.
func Erase(ctx context.Context, l Log, s Selection, dryRun bool) (n int, err error) {
	own, err := l.Own()
	if err != nil || own == "" {
		return 0, err
	}
	if dryRun {
		err = visitOf(l, own, own, 0, func(k Kept) bool {
			if s.Has(k.Trial) {
				n++
			}
			return ctx.Err() == nil
		})
		return n, errors.Join(err, ctx.Err())
	}
	err = l.opened(ctx, func(signer ssh.Signer, j journal, p pending) error {
		if err := l.commit(ctx, signer, j, p, true); err != nil {
			return err
		}
		n, err = erase(ctx, l, signer, own, s)
		return err
	})
	return n, err
}

func erase(ctx context.Context, l Log, signer ssh.Signer, w trial.Writer, s Selection) (n int, err error) {
	// Lines of it could not be read, so that what they name is unknown.
	if err := l.files.Remove(damagedFile); err != nil {
		return 0, err
	}
	tip, err := l.head(w)
	if err != nil {
		return 0, err
	}
	line, err := lineOf(l, tip, tree.Hash{})
	if err != nil {
		return 0, err
	}
	r := rewriting{log: l, signer: signer, writer: w, on: trial.DayOf(l.now()), rows: &rowReader{log: l}}
	defer r.rows.close()
	for _, h := range slices.Backward(line) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if err := r.add(h, s); err != nil {
			return 0, err
		}
	}
	if r.n == 0 {
		return 0, nil
	}
	if len(r.changed) > 0 {
		return r.n, changeRows(ctx, l, r.rows.db, w, redoing{tip, r.tip}, r.changed)
	}
	return r.n, moveErased(l, w, redoing{tip, r.tip})
}

func moveErased(l Log, w trial.Writer, r redoing) error {
	return l.repo.Update(gitstore.RefUpdate{Name: Ref(w), Old: r.Old, New: r.New, Reflog: "assent: erase"})
}

// rewriting is the part of an erased journal that is written.
type rewriting struct {
	log    Log
	signer ssh.Signer
	writer trial.Writer
	on     trial.Day
	tip    tree.Hash
	batch  batch
	n      int
	rows   *rowReader
	// changed are the erased rows of the database.
	changed []trial.Trial
}

// add adds a batch: its own commit while nothing before it changed.
func (r *rewriting) add(h tree.Hash, s Selection) error {
	b, c, err := batchAt(r.log, h, r.writer)
	if err != nil {
		return err
	}
	var trials []trial.Trial
	var problems []error
	if !c.rolled || slices.ContainsFunc(c.parts, s.mayHave) { // else no row is read
		trials, problems = r.rows.trials(r.writer, c)
	}
	if len(problems) == 0 && c.rolled && r.rows.err != nil {
		problems = []error{r.rows.err}
	}
	if len(problems) > 0 {
		return fmt.Errorf("nothing is erased: %w", errors.Join(problems...))
	}
	before := r.n
	for i, t := range trials {
		if !s.Has(t) {
			continue
		}
		trials[i], r.n = t.Erase(r.on), r.n+1
		if c.rolled {
			r.changed = append(r.changed, trials[i])
		}
	}
	switch {
	case r.n == 0:
		r.tip, r.batch = h, b
		return nil
	case r.n > before && c.rolled:
		c, err = rollUp(trials)
	case r.n > before:
		c, err = records(trials)
	}
	if err == nil {
		r.tip, r.batch, err = stack(r.log, r.signer, r.writer, r.tip, r.batch, c)
	}
	return err
}

// batchAt reads a commit of a journal and the records that it added.
func batchAt(l Log, h tree.Hash, w trial.Writer) (b batch, c contents, err error) {
	if _, b, err = l.signed(h, w); err != nil {
		return b, c, err
	}
	view, err := l.repo.Snapshot(h)
	if err != nil {
		return b, c, err
	}
	e, err := view.Lookup(b.path())
	if err == nil {
		c, err = l.contentAt(e)
	}
	if err != nil {
		return b, c, fmt.Errorf("the records of commit %s: %w: %w", h.Short(), err, ErrJournal)
	}
	return b, c, nil
}

// lineOf lists the commits of a journal down to one that is left out, the newest first. If that one is not
// below the tip, it lists all.
func lineOf(l Log, tip, until tree.Hash) (line []tree.Hash, err error) {
	if tip.IsZero() {
		return nil, nil
	}
	err = l.repo.FirstParents(tip, func(c gitstore.Commit) (bool, error) {
		if c.Hash == until {
			return false, nil
		}
		line = append(line, c.Hash)
		return true, nil
	})
	return line, err
}

// erased compares a journal with one that does not go on from it: each of its batches must be in the other,
// erased or as it was. It returns the last commit that both have, and the other's commits after it.
func erased(l Log, w trial.Writer, from tree.Hash, line []tree.Hash, left *int) (base tree.Hash, rest []tree.Hash, err error) {
	before, err := lineOf(l, from, tree.Hash{})
	if err != nil {
		return base, nil, err
	}
	if len(line) < len(before) {
		return base, nil, fmt.Errorf("it does not go on from %s: %w", name(from), ErrJournal)
	}
	for len(before) > 0 && before[len(before)-1] == line[len(line)-1] {
		base = before[len(before)-1]
		before, line = before[:len(before)-1], line[:len(line)-1]
	}
	for i := range before {
		was, is := before[len(before)-1-i], line[len(line)-1-i]
		//defence:erased-journals-are-compared-in-bounds
		if *left <= 0 {
			return base, nil, errLater(len(before) - i)
		}
		b, old, err := batchAt(l, was, w)
		if err != nil {
			return base, nil, err
		}
		_, now, err := batchAt(l, is, w)
		if err != nil {
			return base, nil, fmt.Errorf("the journal was cut or forked: %w", err)
		}
		*left -= 2 * (commitCost + b.trials)
		//defence:erased-journals-keep-their-records
		if !now.erases(old) {
			return base, nil, fmt.Errorf("commit %s has other records than %s: the journal was cut or forked: %w", is.Short(), was.Short(), ErrJournal)
		}
	}
	return base, line, nil
}

// Erases reports whether a journal goes on from an earlier one in which records were erased since. Of a
// stranger's it checks a part only, and may miss that.
func (c *Checks) Erases(w trial.Writer, from, to tree.Hash) (bool, error) {
	at, err := c.onward(w, from, to, isKnown(c.log, c.own, w))
	if err != nil && !IsLater(err) && !errors.Is(err, ErrJournal) && !errors.Is(err, trial.ErrVersion) {
		return false, err
	}
	return err == nil && at == to, nil
}

// Retain erases the records of whole months that are older than a period; zero keeps all. It reads the
// journal once a month.
func Retain(ctx context.Context, l Log, period time.Duration) error {
	if period == 0 {
		return nil
	}
	at := l.now().Add(-period).UTC()
	before := time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)
	mark := []byte(before.Format(time.DateOnly) + "\n")
	if was, err := l.files.Read(retainedFile, 100); err == nil && string(was) >= string(mark) {
		return nil
	}
	if _, err := Erase(ctx, l, Selection{Before: before}, false); err != nil {
		return fmt.Errorf("erase trials before %s: %w", before.Format(time.DateOnly), err)
	}
	return l.files.Cache(retainedFile, mark)
}
