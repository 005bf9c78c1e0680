package journal

import (
	"fmt"
	"path"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// Unite merges lines of other repositories into ours: refs below Folded whose names are more
// than a year, such as refs/assent/closed/2026-origin. Each becomes a parent of our line, so
// that the other repository can fast-forward to it. Of two records of one journal, the longer
// one counts. A line merged at least Settling ago loses its ref. Unite returns the refs that it
// merged and removed.
func (ls Lines) Unite(r *gitstore.Repo, now time.Time) (united, removed []string, err error) {
	lines, _, err := ls.lines(r)
	if err != nil {
		return nil, nil, fmt.Errorf("uniting folded journals: %w", err)
	}
	for _, other := range lines {
		if ls.Yearly(other.ref) {
			continue
		}
		since, err := ls.unite(r, now, other)
		if err != nil {
			return united, removed, fmt.Errorf("uniting %s with our own: %w", other.ref, err)
		}
		if since.IsZero() {
			united = append(united, other.ref)
		}
		if since.IsZero() || since.After(now.Add(-Settling)) {
			continue
		}
		n, err := Remove(r, []gitstore.RefUpdate{{Name: other.ref, Old: other.tip.Hash}})
		if err != nil {
			return united, removed, err
		}
		if n > 0 {
			removed = append(removed, other.ref)
		}
	}
	return united, removed, nil
}

// unite merges one line; since is the time of an earlier merge.
func (ls Lines) unite(r *gitstore.Repo, now time.Time, other line) (since time.Time, err error) {
	err = ls.appendFold(r, now, func(to line, all []line) (fold, error) {
		since, err = mergedAt(r, all, other)
		if err != nil || !since.IsZero() {
			return fold{}, err
		}
		f := fold{subject: "Unite with " + path.Base(other.ref), parents: []tree.Hash{other.tip.Hash}}
		f.edits, err = newerRecords(r, to, other)
		return f, err
	})
	return since, err
}

// mergedAt returns when one of our lines merged the other; zero if none did.
func mergedAt(r *gitstore.Repo, all []line, other line) (time.Time, error) {
	var at time.Time
	for _, l := range all {
		if l.ref == other.ref || !at.IsZero() {
			continue
		}
		err := r.FirstParents(l.tip.Hash, func(c gitstore.Commit) (bool, error) {
			if c.Hash == other.tip.Hash || slices.Contains(c.Parents, other.tip.Hash) {
				at = c.Committer.When
			}
			return at.IsZero(), nil
		})
		if err != nil {
			return at, fmt.Errorf("walking %s: %w", l.ref, err)
		}
	}
	return at, nil
}

// newerRecords returns the records of other that ours lacks, or that are longer than ours.
func newerRecords(r *gitstore.Repo, ours, other line) ([]tree.Edit, error) {
	changes, err := tree.Diff(ours.view, other.view)
	if err != nil {
		return nil, err
	}
	var edits []tree.Edit
	for _, c := range changes {
		if c.Removed() {
			continue
		}
		name := path.Base(c.Path)
		rec, ok, err := other.lookup(r, name)
		if err == nil && (!ok || c.Path != recordPath(name)) {
			err = fmt.Errorf("%.80s is no record: %w", c.Path, ErrNotJournal)
		}
		heads := []tree.Hash{rec.Head}
		if err == nil && !c.Added() {
			var mine Record
			mine, _, err = ours.lookup(r, name)
			heads = append(heads, mine.Head)
		}
		if err != nil {
			return nil, err
		}
		if len(heads) > 1 && heads[0] == heads[1] {
			continue
		}
		events, err := longest(r, heads, nil, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if events[len(events)-1].Commit == rec.Head {
			edits = append(edits, tree.Edit{Path: c.Path, Hash: c.New.Hash})
		}
	}
	return edits, nil
}

// Readable checks a line that moves from here to there: it reads new and changed records and
// returns the first error. here may be zero. A record that contradicts a folded journal of this
// repository is an error: nothing but records says how that journal ends. Beside a journal's own ref
// readers leave such a record out.
func (s Shelf) Readable(r *gitstore.Repo, here, there tree.Hash) error {
	theirs, err := openLine(r, s.Folded, there)
	if err != nil {
		return err
	}
	var ours line
	if here.IsZero() {
		ours.view, err = r.Snapshot(here)
	} else {
		ours, err = openLine(r, s.Folded, here)
	}
	if err == nil {
		s.Lines, err = s.Opened(r)
	}
	if err != nil {
		return err
	}
	changes, err := tree.Diff(ours.view, theirs.view)
	for _, c := range changes {
		if c.Removed() || err != nil {
			continue
		}
		rec, ok, wrong := theirs.lookup(r, path.Base(c.Path))
		if err = wrong; err == nil && !ok {
			err = fmt.Errorf("%.80s is no record: %w", c.Path, ErrNotJournal)
		}
		//defence:records-deny-no-folded-journal
		if err == nil {
			err = s.contradicted(r, rec)
		}
	}
	return err
}

// contradicted returns why a record of another repository cannot be one of a journal that is
// folded here.
func (s Shelf) contradicted(r *gitstore.Repo, rec Record) error {
	if len(*s.opened) == 0 {
		return nil
	}
	p, err := s.places(r, rec.Name)
	switch {
	case err != nil && !notJournal(err):
		return err
	case err != nil || !p.live.IsZero() || len(p.folded) == 0:
		return nil
	case slices.ContainsFunc(p.folded, func(own Record) bool {
		return own.Head == rec.Head && string(own.Summary) == string(rec.Summary)
	}):
		return nil
	}
	events, err := longest(r, append(p.heads(), rec.Head), nil, nil)
	if err == nil {
		err = s.falsehood(rec, events)
	}
	if err != nil {
		return fmt.Errorf("its record of %s contradicts the one here: %w", rec.Name, err)
	}
	return nil
}

// Ignored returns the records of a fold that readers leave out, because the journal has a ref here
// that they do not continue or are not true of, and the number of records of other journals.
func (s Shelf) Ignored(r *gitstore.Repo, fold tree.Hash) (ignored []Record, others int, err error) {
	l, err := openLine(r, s.Folded, fold)
	if err != nil {
		return nil, 0, err
	}
	err = l.each(r, func(rec Record, err error) error {
		live, none := r.Ref(s.Ref(rec.Name))
		switch {
		case none != nil:
			others++
		case err != nil || s.Beside(r, rec, live) != nil:
			ignored = append(ignored, rec)
		}
		return nil
	})
	return ignored, others, err
}

// Beside returns why readers leave a record out beside the journal's own ref at live.
func (s Shelf) Beside(r *gitstore.Repo, rec Record, live tree.Hash) error {
	events, err := longest(r, []tree.Hash{live, rec.Head}, nil, nil)
	if err != nil {
		return err
	}
	return s.falsehood(rec, events)
}
