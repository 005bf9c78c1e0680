package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// MaxFold bounds the journals of one fold.
const MaxFold = 256

// Entry is a journal to fold.
type Entry struct {
	Name string
	// Head is the last event of the history that Summary describes.
	Head tree.Hash
	// Summary is any JSON that lists show without reading the journal.
	Summary json.RawMessage
}

// Fold records at most MaxFold journals in the newest line, or in a new line if the year
// changed. It skips journals that are already recorded, and returns the number of new records.
// The journals keep their refs until Drop removes them.
//
// A record stays true if events are appended meanwhile: it says that the journal had these
// events, and the appended journal continues them.
func (ls Lines) Fold(r *gitstore.Repo, at time.Time, entries []Entry) (int, error) {
	if len(entries) > MaxFold {
		return 0, fmt.Errorf("folding %d journals at once: at most %d", len(entries), MaxFold)
	}
	n := 0
	err := ls.appendFold(r, at, func(_ line, all []line) (fold, error) {
		f, err := additions(r, all, entries)
		n = len(f.parents)
		f.subject = "Fold " + strconv.Itoa(n) + " journals"
		return f, err
	})
	if err != nil {
		return 0, fmt.Errorf("folding journals: %w", err)
	}
	return n, nil
}

// additions returns the entries that no line has.
func additions(r *gitstore.Repo, lines []line, entries []Entry) (fold, error) {
	var f fold
	for _, e := range entries {
		if e.Name != path.Base(e.Name) {
			return f, fmt.Errorf("%q is not a name of one part", e.Name)
		}
		if _, err := readMessage(r, e.Head); err != nil {
			return f, fmt.Errorf("%s at %s: %w", e.Name, e.Head.Short(), err)
		}
		there, err := recordsIn(r, lines, e.Name)
		if err != nil {
			return f, err
		}
		further, err := continuesAll(r, e.Head, there)
		if err != nil {
			return f, fmt.Errorf("%s at %s: %w", e.Name, e.Head.Short(), err)
		}
		if !further {
			continue
		}
		data, err := encodeRecord(e)
		if err != nil {
			return f, fmt.Errorf("the summary of %s: %w", e.Name, err)
		}
		f.edits = append(f.edits, tree.Edit{Path: recordPath(e.Name), Content: data})
		f.parents = append(f.parents, e.Head)
	}
	return f, nil
}

// continuesAll reports whether head continues all of the records. A process that read the journal
// earlier may fold it later, and a record must never move back. A record on another branch than
// head also stays.
func continuesAll(r *gitstore.Repo, head tree.Hash, there []Record) (bool, error) {
	var heads []tree.Hash
	for _, rec := range there {
		if rec.Head == head {
			return false, nil
		}
		heads = append(heads, rec.Head)
	}
	if len(heads) == 0 {
		return true, nil
	}
	events, err := readBack(r, head, nil, nil)
	return err == nil && checkOnChain(events, heads) == nil, err
}

// fold describes a commit that extends a line.
type fold struct {
	subject string
	edits   []tree.Edit
	parents []tree.Hash
}

// appendFold passes decide the line that folds extend, and all lines, and appends the returned
// fold; an empty one appends nothing. If another process was first, it starts over, up to a
// bound (ErrContended).
func (ls Lines) appendFold(r *gitstore.Repo, at time.Time, decide func(to line, all []line) (fold, error)) error {
	for attempt := range maxAttempts {
		to, all, err := ls.target(r, at)
		if err != nil {
			return err
		}
		f, err := decide(to, all)
		if err != nil || len(f.edits)+len(f.parents) == 0 {
			return err
		}
		base := to.tip.Tree
		root, err := r.WriteTree(base, f.edits)
		if err != nil {
			return err
		}
		parents := f.parents
		if !to.tip.Hash.IsZero() {
			parents = append([]tree.Hash{to.tip.Hash}, parents...)
		}
		who := gitstore.Person{Name: "assent", When: at}
		h, err := r.WriteCommit(gitstore.Commit{Tree: root, Parents: parents, Author: who, Committer: who,
			Message: fmt.Sprintf("%s\n\n%s: %d\n", f.subject, trailerFold, FoldVersion)}, nil)
		if err != nil {
			return err
		}
		err = r.Update(gitstore.RefUpdate{Name: to.ref, Old: to.tip.Hash, New: h, Reflog: "journal: fold"})
		var stale *gitstore.ErrStale
		if !errors.As(err, &stale) {
			return err
		}
		pause(attempt)
	}
	return fmt.Errorf("others were faster %d times: %w", maxAttempts, ErrContended)
}

// target returns the line to extend: the newest of ours, or a new one for this year. A clock
// that is behind starts no older line.
func (ls Lines) target(r *gitstore.Repo, at time.Time) (to line, all []line, err error) {
	year := ls.Folded + at.UTC().Format("2006")
	all, _, err = ls.lines(r)
	if err != nil {
		return to, nil, err
	}
	i := slices.IndexFunc(all, func(l line) bool { return ls.Yearly(l.ref) })
	if i >= 0 && all[i].ref >= year {
		return all[i], all, nil
	}
	switch h, err := r.Ref(year); {
	case err == nil: // created meanwhile, or not a line
		to, err = openLine(r, year, h)
		return to, append(all, to), err
	case !errors.Is(err, gitstore.ErrNoRef):
		return to, nil, err
	}
	to.ref = year
	to.view, err = r.Snapshot(tree.Hash{})
	return to, all, err
}
