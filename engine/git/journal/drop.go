package journal

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// Settling is the minimum age of a fold before the refs of its journals are removed. `git gc
// --prune=now` or `git repack -ad` first lists all refs and then deletes objects that none of
// them reaches. If a journal moved from its ref to a line during the listing, git could see it
// at neither. Listing takes seconds at most, so after this time every program sees the line.
const Settling = 10 * time.Minute

// Drops counts the refs of folded journals.
type Drops struct {
	// Removed were deleted. Left could be deleted by a further call. Waiting have a fold that
	// has not settled yet.
	Removed, Left, Waiting int
}

// Drop removes at most most refs of journals all of whose events have been in a line for at
// least Settling, as of now. The ref goes only if the lines alone give the same journal: every
// record of it is true, and none contradicts the ref.
func (s Shelf) Drop(r *gitstore.Repo, now time.Time, most int) (out Drops, err error) {
	lines, _, err := s.lines(r)
	if err != nil {
		return out, fmt.Errorf("removing refs: %w", err)
	}
	if len(lines) == 0 {
		return out, nil
	}
	settled, err := settledLines(r, lines, now.Add(-Settling))
	if err != nil {
		return out, fmt.Errorf("removing refs: %w", err)
	}
	refs, err := r.Refs(s.Live)
	if err != nil && len(refs) == 0 {
		return out, fmt.Errorf("removing refs: %w", err)
	}
	var batch []gitstore.RefUpdate
	for _, ref := range refs {
		name := ref.Name[len(s.Live):]
		switch {
		case ref.Symbolic != "" || !covered(r, lines, name, ref.Hash):
		case !covered(r, settled, name, ref.Hash):
			out.Waiting++
		case out.Removed+len(batch) >= most:
			out.Left++
		case s.denied(r, lines, name, ref.Hash):
		default:
			batch = append(batch, gitstore.RefUpdate{Name: ref.Name, Old: ref.Hash})
		}
		if len(batch) == MaxFold {
			n, err := Remove(r, batch)
			out.Removed, batch = out.Removed+n, nil
			if err != nil {
				return out, err
			}
		}
	}
	n, err := Remove(r, batch)
	out.Removed += n
	return out, err
}

// settledLines returns the lines as they were at an instant, by the dates of their folds,
// without lines that started later.
func settledLines(r *gitstore.Repo, lines []line, at time.Time) ([]line, error) {
	var out []line
	for _, l := range lines {
		var old gitstore.Commit
		err := r.FirstParents(l.tip.Hash, func(c gitstore.Commit) (bool, error) {
			if c.Committer.When.After(at) {
				return true, nil
			}
			old = c
			return false, nil
		})
		if err != nil {
			return nil, fmt.Errorf("walking %s: %w", l.ref, err)
		}
		if old.Hash.IsZero() {
			continue
		}
		view, err := r.Snapshot(old.Tree)
		if err != nil {
			return nil, err
		}
		out = append(out, line{ref: l.ref, tip: old, view: view})
	}
	return out, nil
}

// covered reports whether a line has all events up to head. It returns false on error: readers
// report what is wrong with such a journal.
func covered(r *gitstore.Repo, lines []line, name string, head tree.Hash) bool {
	records, err := recordsIn(r, lines, name)
	if err != nil {
		return false
	}
	for _, rec := range records {
		if rec.Head == head {
			return true
		}
		if events, err := readBack(r, rec.Head, nil, nil); err == nil && checkOnChain(events, []tree.Hash{head}) == nil {
			return true
		}
	}
	return false
}

// denied reports whether the lines would give another journal than the ref, or cannot be read.
func (s Shelf) denied(r *gitstore.Repo, lines []line, name string, head tree.Hash) bool {
	records, err := recordsIn(r, lines, name)
	if err != nil {
		return true
	}
	events, err := longest(r, places{folded: records}.heads(), nil, nil)
	//defence:false-records-drop-no-journal
	if err != nil || checkOnChain(events, []tree.Hash{head}) != nil ||
		slices.ContainsFunc(records, func(rec Record) bool { return s.falsehood(rec, events) != nil }) {
		return true
	}
	return false
}

// Remove removes refs, except those that moved or are locked, and returns how many.
func Remove(r *gitstore.Repo, batch []gitstore.RefUpdate) (int, error) {
	for len(batch) > 0 {
		err := r.Update(batch...)
		if err == nil {
			return len(batch), nil
		}
		var stale *gitstore.ErrStale
		var locked *gitstore.ErrLocked
		inTheWay := func(u gitstore.RefUpdate) bool {
			return errors.As(err, &stale) && stale.Ref == u.Name ||
				errors.As(err, &locked) && strings.HasSuffix(filepath.ToSlash(locked.Path), "/"+u.Name+".lock")
		}
		i := slices.IndexFunc(batch, inTheWay)
		if i < 0 {
			return 0, fmt.Errorf("removing refs: %w", err)
		}
		batch = slices.Delete(batch, i, i+1)
	}
	return 0, nil
}
