package triallog

import (
	"bytes"
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
	var strangers []selection
	for _, ref := range refs {
		w, err := writerOf(ref.Name)
		if err != nil {
			r.Problems = append(r.Problems, fmt.Errorf("%s: %w", ref.Name, err))
			continue
		}
		seen[w] = true
		known := isKnown(l, r.Own, w)
		b, err := checks.sound(w, ref.Hash, known)
		if w == r.Own {
			last = b.last
		}
		if err == nil && known {
			err = l.follow(r, w, ref.Hash)
		} else if err == nil {
			var s selection
			if s, err = newest(l, w, ref.Hash); err == nil {
				strangers = append(strangers, s)
			}
		}
		if err != nil {
			r.forget(w)
			r.leave(w, err)
		}
	}
	checks.Keep()
	followStrangers(l, r, strangers)
	for w := range r.tips {
		if !seen[w] {
			r.forget(w)
		}
	}
	return l.followWaiting(r, last)
}

// leave names a journal, and why it or a part of it is not read.
func (r *Reading) leave(w trial.Writer, why error) {
	r.Problems = append(r.Problems, fmt.Errorf("%s: %w", Ref(w), why))
}

// follow brings all counts of one journal up to date.
func (l Log) follow(r *Reading, w trial.Writer, tip tree.Hash) error {
	if r.tips[w] == tip {
		return nil
	}
	files, err := l.counts(tip)
	if err != nil {
		return err
	}
	return put(l, r, selection{writer: w, tip: tip, files: files})
}

// put reads the selected counts of a journal that are not in the book, and removes the others. A
// journal that cannot be read leaves the book.
func put(l Log, r *Reading, s selection) error {
	known := r.blobs[s.writer]
	for name := range known {
		if _, there := s.files[name]; !there {
			r.Book.Put(s.writer, name, nil)
		}
	}
	for name, h := range s.files {
		if known[name] == h {
			continue
		}
		counts, err := l.countsAt(h)
		if err != nil {
			r.forget(s.writer)
			return fmt.Errorf("%s: %w", name, err)
		}
		r.Book.Put(s.writer, name, counts)
	}
	r.tips[s.writer], r.blobs[s.writer] = s.tip, s.files
	return nil
}

func (r *Reading) forget(w trial.Writer) {
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
	var data []byte
	for _, file := range []string{pendingFile, dayFile} { // in this order, because trials move to the second
		part, err := l.files.Read(file, 2*maxPending)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read the trials that wait: %w", err)
		}
		data = append(part[:bytes.LastIndexByte(part, '\n')+1], data...)
	}
	trials, _ := readable(data, w, committed)
	return trials, nil
}
