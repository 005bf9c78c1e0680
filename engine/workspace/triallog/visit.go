package triallog

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// Kept is a record with the writer of its journal.
type Kept = trial.Kept

// Visit shows the records of all journals since a day, newest day first and in each day by
// writer, the newest first, until visit returns false. Of strangers it shows the newest only.
// Journals that are not read, or not wholly, are returned as problems.
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
	problems, err = visitIn(l, own, refs, since, func(w trial.Writer) bool { return isKnown(l, own, w) }, visit)
	for _, b := range broken {
		problems = append(problems, b)
	}
	return problems, err
}

// Newest returns the newest records of all journals since a day, up to so many, the newest last. Those
// of strangers fill the room that others leave. It depends on the records and the listed writers
// alone, not on which records are committed.
func Newest(l Log, since trial.Day, most int) (out []Kept, problems []error, err error) {
	own, err := l.Own()
	if err != nil {
		return nil, nil, err
	}
	refs, err := l.repo.Refs(Prefix)
	broken, err := gitstore.BrokenRefs(err)
	if err != nil {
		return nil, nil, fmt.Errorf("list the journals of trials: %w", err)
	}
	for _, b := range broken {
		problems = append(problems, b)
	}
	var known, strangers []gitstore.Ref
	for _, ref := range refs {
		if isKnown(l, own, trial.Writer(strings.TrimPrefix(ref.Name, Prefix))) {
			known = append(known, ref)
		} else {
			strangers = append(strangers, ref)
		}
	}
	out, left, err := newestIn(most, func(visit func(Kept) bool) ([]error, error) {
		return visitIn(l, own, known, since, all, visit)
	})
	problems = append(problems, left...)
	most -= len(out)
	if err != nil || most == 0 {
		return out, problems, err
	}
	more, left, err := newestIn(most, func(visit func(Kept) bool) ([]error, error) {
		return visitIn(l, "", strangers, since, none, visit)
	})
	out, problems = append(out, more...), append(problems, left...)
	order.Sort(out, Kept.Compare)
	return out, problems, err
}

func all(trial.Writer) bool  { return true }
func none(trial.Writer) bool { return false }

// newestIn returns the newest of the records that in visits, the newest day first.
func newestIn(most int, in func(visit func(Kept) bool) ([]error, error)) (out []Kept, problems []error, err error) {
	newest := func() {
		order.Sort(out, Kept.Compare)
		out = out[max(0, len(out)-most):]
	}
	var last trial.Day
	problems, err = in(func(k Kept) bool {
		day := trial.DayOf(k.ID.Time())
		if day != last && len(out) >= most {
			newest()
			if trial.DayOf(out[0].ID.Time()) > day {
				return false // days come newest first, so nothing newer follows
			}
		}
		if last = day; len(out) >= 2*most {
			newest()
		}
		out = append(out, k)
		return true
	})
	newest()
	return out, problems, err
}

// visitIn is Visit for some journals and the trials of this installation that wait for a commit. All
// records of known writers are shown.
func visitIn(l Log, own trial.Writer, refs []gitstore.Ref, since trial.Day, known func(trial.Writer) bool, visit func(Kept) bool) (problems []error, err error) {
	checks := l.checks(own)
	defer checks.Keep()
	rows := rowReader{log: l}
	defer rows.close()
	shown := share{by: map[trial.Writer]int{}, cut: map[trial.Writer]bool{}}
	defer func() { problems = append(problems, shown.problems()...) }()
	days := map[trial.Day]map[trial.Writer][]tree.Entry{}
	last := map[trial.Writer]trial.ID{}
	for _, ref := range refs {
		w, err := writerOf(ref.Name)
		var b batch
		if err == nil {
			b, err = checks.sound(w, ref.Hash, known(w))
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
			if trial.DayOf(t.ID.Time()) >= since && !visit(Kept{Writer: own, Trial: t}) {
				return problems, nil
			}
		}
	}
	for _, day := range slices.Backward(slices.Sorted(maps.Keys(days))) {
		for _, w := range slices.Sorted(maps.Keys(days[day])) {
			for _, e := range slices.Backward(days[day][w]) {
				if !known(w) && shown.full(w) {
					break
				}
				c, err := l.contentAt(e)
				if err != nil {
					problems = append(problems, fmt.Errorf("%s: %s: %w", Ref(w), e.Path, err))
					continue
				}
				trials, left := rows.trials(w, c)
				problems = append(problems, left...)
				for _, t := range slices.Backward(trials) {
					if !known(w) && shown.full(w) {
						break
					}
					shown.spend(w)
					if !visit(Kept{Writer: w, Trial: t}) {
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
				plain := e.Path
				if of, ok := strings.CutSuffix(plain, rolledExt); ok {
					plain = of + recordsExt
				}
				if n, _ := fmt.Sscanf(plain[len(dir.Path):], "/%d/%02d.jsonl", &hundreds, &rest); n != 2 || plain != recordsPath(day, hundreds*100+rest) {
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
