package triallog

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"sync"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// waiting is the part of a book that holds acknowledged trials without a commit.
const waiting = "waiting"

// Reading is a book that follows the journals of a repository. The zero Reading is empty.
type Reading struct {
	Book trial.Book
	// Own is the writer of this installation, "" while it has recorded nothing.
	Own trial.Writer
	// Problems are journals that cannot be read, and why. They count for nothing.
	Problems []error

	tips  map[trial.Writer]tree.Hash
	blobs map[trial.Writer]map[string]tree.Hash
}

// Trust returns whose trials count in full: those of this installation and of the writers that
// policies name.
func (r *Reading) Trust(named map[string]trial.Writer) trial.Trust {
	t := trial.Trust{Own: r.Own}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		t.Listed = append(t.Listed, named[name])
	}
	return t
}

// Refresh brings a reading up to date: it reads counts that changed since, and no records
// but those that wait for a commit.
func (l Log) Refresh(r *Reading) error {
	if r.tips == nil {
		r.tips, r.blobs = map[trial.Writer]tree.Hash{}, map[trial.Writer]map[string]tree.Hash{}
	}
	refs, err := l.repo.Refs(Prefix)
	broken, err := gitstore.BrokenRefs(err)
	if err != nil {
		return fmt.Errorf("list the journals of trials: %w", err)
	}
	r.Problems = nil
	for _, b := range broken {
		r.Problems = append(r.Problems, b)
	}
	var last trial.ID
	if r.Own, err = l.Own(); err != nil {
		return err
	}
	seen := map[trial.Writer]bool{}
	checks := l.checks(r.Own)
	for _, ref := range refs {
		w, err := writerOf(ref.Name)
		if err == nil {
			seen[w] = true
			var b batch
			b, err = l.follow(r, w, ref.Hash, checks)
			if w == r.Own {
				last = b.last
			}
		}
		if err != nil {
			r.Problems = append(r.Problems, fmt.Errorf("%s: %w", ref.Name, err))
		}
	}
	checks.keep()
	for w := range r.tips {
		if !seen[w] {
			l.forget(r, w)
		}
	}
	return l.followWaiting(r, last)
}

// follow reads the counts of one journal that are not in the book. A journal that cannot be
// read leaves the book.
func (l Log) follow(r *Reading, w trial.Writer, tip tree.Hash, checks *checks) (b batch, err error) {
	b, err = checks.sound(w, tip)
	if err != nil {
		l.forget(r, w)
		return b, err
	}
	if r.tips[w] == tip {
		return b, nil
	}
	files, err := l.counts(tip)
	if err != nil {
		l.forget(r, w)
		return b, err
	}
	known := r.blobs[w]
	if known == nil {
		known = map[string]tree.Hash{}
	}
	for name := range known {
		if _, there := files[name]; !there {
			r.Book.Put(w, name, nil)
		}
	}
	for name, h := range files {
		if known[name] == h {
			continue
		}
		counts, err := l.countsAt(h)
		if err != nil {
			l.forget(r, w)
			return b, fmt.Errorf("%s: %w", name, err)
		}
		r.Book.Put(w, name, counts)
	}
	r.tips[w], r.blobs[w] = tip, files
	return b, nil
}

func (l Log) forget(r *Reading, w trial.Writer) {
	for name := range r.blobs[w] {
		r.Book.Put(w, name, nil)
	}
	delete(r.tips, w)
	delete(r.blobs, w)
}

// counts are the files of counts in a journal, with their blobs.
func (l Log) counts(tip tree.Hash) (map[string]tree.Hash, error) {
	view, err := l.repo.Snapshot(tip)
	if err != nil {
		return nil, err
	}
	out := map[string]tree.Hash{}
	err = months(view, func(month tree.Entry) error {
		segments, err := segmentsIn(view, month.Path+"/counts")
		for _, s := range segments {
			out[s.Path] = s.Hash
		}
		return err
	})
	return out, err
}

var monthShape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]{4}/(0[1-9]|1[0-2])$`) })

// months visits the folders of a journal's months.
func months(view tree.View, visit func(tree.Entry) error) error {
	years, err := view.List("")
	if err != nil {
		return err
	}
	for _, year := range years {
		inYear, err := view.List(year.Path)
		if err != nil {
			return fmt.Errorf("%s: %w: %w", year.Path, err, ErrJournal)
		}
		for _, month := range inYear {
			if month.Mode != tree.Dir || !monthShape().MatchString(month.Path) {
				return fmt.Errorf("it holds %s: %w", month.Path, ErrJournal)
			}
			if err := visit(month); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l Log) countsAt(h tree.Hash) (trial.Counts, error) {
	data, err := l.repo.BlobWithin(h, trial.MaxCounts)
	if err != nil {
		return nil, err
	}
	return trial.ParseCounts(data)
}

// followWaiting puts the trials into the book that wait for a commit, after the last one
// that has one.
func (l Log) followWaiting(r *Reading, committed trial.ID) error {
	if r.Own == "" {
		return nil
	}
	trials, err := l.waiting(r.Own, committed)
	if err != nil {
		return err
	}
	r.Book.Put(r.Own, waiting, trial.Sum(trials))
	return nil
}

// waiting reads the trials that wait for a commit, and changes nothing.
func (l Log) waiting(w trial.Writer, committed trial.ID) ([]trial.Trial, error) {
	data, err := l.files.Read(pendingFile, maxPending)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the trials that wait: %w", err)
	}
	trials, _ := readable(data, w, committed)
	return trials, nil
}

// Kept is a record with the writer of its journal.
type Kept struct {
	Writer trial.Writer `json:"writer"`
	trial.Trial
}

// Visit shows the records of all journals since a day, newest day first and in each day by
// writer, the newest first, until visit returns false. Journals that cannot be read are
// returned as problems.
func (l Log) Visit(since trial.Day, visit func(Kept) bool) (problems []error, err error) {
	refs, err := l.repo.Refs(Prefix)
	broken, err := gitstore.BrokenRefs(err)
	if err != nil {
		return nil, fmt.Errorf("list the journals of trials: %w", err)
	}
	own, err := l.Own()
	if err != nil {
		return nil, err
	}
	problems, err = visitIn(l, own, refs, since, visit)
	for _, b := range broken {
		problems = append(problems, b)
	}
	return problems, err
}

// visitIn is Visit for some journals and the trials of this installation that wait for a commit.
func visitIn(l Log, own trial.Writer, refs []gitstore.Ref, since trial.Day, visit func(Kept) bool) (problems []error, err error) {
	checks := l.checks(own)
	defer checks.keep()
	days := map[trial.Day]map[trial.Writer][]tree.Entry{}
	last := map[trial.Writer]trial.ID{}
	for _, ref := range refs {
		w, err := writerOf(ref.Name)
		var b batch
		if err == nil {
			b, err = checks.sound(w, ref.Hash)
		}
		if err == nil {
			last[w] = b.last
			err = recordFiles(l, ref.Hash, since, func(day trial.Day, e tree.Entry) {
				if days[day] == nil {
					days[day] = map[trial.Writer][]tree.Entry{}
				}
				days[day][w] = append(days[day][w], e)
			})
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", ref.Name, err))
		}
	}
	if own != "" {
		trials, err := l.waiting(own, last[own])
		if err != nil {
			return problems, err
		}
		for _, t := range slices.Backward(trials) {
			if trial.DayOf(t.ID.Time()) >= since && !visit(Kept{own, t}) {
				return problems, nil
			}
		}
	}
	for _, day := range slices.Backward(slices.Sorted(maps.Keys(days))) {
		for _, w := range slices.Sorted(maps.Keys(days[day])) {
			for _, e := range slices.Backward(days[day][w]) {
				trials, err := l.recordsAt(e)
				if err != nil {
					problems = append(problems, fmt.Errorf("%s: %s: %w", Ref(w), e.Path, err))
					continue
				}
				for _, t := range slices.Backward(trials) {
					if !visit(Kept{w, t}) {
						return problems, nil
					}
				}
			}
		}
	}
	return problems, nil
}

// recordFiles visits the files of records since a day, in the order of batches within a day.
func recordFiles(l Log, tip tree.Hash, since trial.Day, visit func(trial.Day, tree.Entry)) error {
	view, err := l.repo.Snapshot(tip)
	if err != nil {
		return err
	}
	return months(view, func(month tree.Entry) error {
		inMonth, err := view.List(month.Path)
		if err != nil {
			return err
		}
		for _, dir := range inMonth {
			day, ok := dayOf(dir.Path)
			if !ok || day < since {
				continue
			}
			files := map[int]tree.Entry{}
			err := tree.Files(view, dir.Path, func(e tree.Entry) error {
				var hundreds, rest int
				if n, _ := fmt.Sscanf(e.Path[len(dir.Path):], "/%d/%02d.jsonl", &hundreds, &rest); n != 2 || e.Path != recordsPath(day, hundreds*100+rest) {
					return fmt.Errorf("it holds %s: %w", e.Path, ErrJournal)
				}
				files[hundreds*100+rest] = e
				return nil
			})
			if err != nil {
				return err
			}
			for _, n := range slices.Sorted(maps.Keys(files)) {
				visit(day, files[n])
			}
		}
		return nil
	})
}

func dayOf(path string) (trial.Day, bool) {
	at, err := parseDay(path)
	return at, err == nil
}

func (l Log) recordsAt(e tree.Entry) ([]trial.Trial, error) {
	data, err := l.repo.BlobWithin(e.Hash, MaxBatch*trial.MaxLine)
	if err != nil {
		return nil, err
	}
	return parseLines(data)
}
