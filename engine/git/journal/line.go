package journal

import (
	"crypto/sha1" //nolint:gosec // It spreads names over folders, nothing more.
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// A line is a chain of fold commits on one ref, named by the year in which it
// began. Each commit's first parent is the fold before it; its other parents are
// the last events of the journals that it folds, or another line that it took in.
// Its tree holds a record for each journal of the line, in folders that spread
// them evenly, so that a fold writes a few small folders however many there are.

// FoldVersion is the format of fold commits and records that this package writes
// and the newest that it reads.
const FoldVersion = 1

// trailerFold marks a fold commit.
const trailerFold = "Assent-Fold"

// Record says where a folded journal ends.
type Record struct {
	Name string
	// Head is the last event.
	Head tree.Hash
	// Summary is JSON of the one who had it folded.
	Summary json.RawMessage
	// Line is the ref that holds the record.
	Line string
}

type recordFile struct {
	V       int             `json:"v"`
	Name    string          `json:"name"`
	Head    tree.Hash       `json:"head"`
	Summary json.RawMessage `json:"summary"`
}

func encodeRecord(e Entry) ([]byte, error) {
	data, err := json.Marshal(recordFile{FoldVersion, e.Name, e.Head, e.Summary})
	return append(data, '\n'), err
}

// decodeRecord reads the record of name.
func decodeRecord(line, name string, data []byte) (Record, error) {
	var f recordFile
	err := json.Unmarshal(data, &f)
	switch {
	case err != nil:
		err = fmt.Errorf("%w: %w", ErrNotJournal, err)
	case f.V > FoldVersion:
		err = fmt.Errorf("it has version %d and this program reads %d; update assent: %w", f.V, FoldVersion, ErrVersion)
	case f.V < 1 || f.Name != name || f.Head.IsZero():
		err = fmt.Errorf("it is of %q, at %s: %w", f.Name, f.Head.Short(), ErrNotJournal)
	}
	if err != nil {
		return Record{}, fmt.Errorf("the record of %s in %s: %w", name, line, err)
	}
	return Record{Name: name, Head: f.Head, Summary: f.Summary, Line: line}, nil
}

// recordPath is where the record of a journal is. Three digits make 4 096 folders:
// 25 records each where there are 100 000.
func recordPath(name string) string {
	sum := sha1.Sum([]byte(name)) //nolint:gosec // see the import
	digits := hex.EncodeToString(sum[:2])
	return path.Join(digits[:1], digits[1:2], digits[2:3], name)
}

// Lines are all lines of one kind of journal. They know nothing of journals' own refs.
type Lines struct {
	// Folded is the prefix of the lines' refs: refs/assent/closed/.
	Folded string
}

// line is one line as it was when it was opened.
type line struct {
	ref  string
	tip  gitstore.Commit
	view *gitstore.Snapshot
}

var yearly = regexp.MustCompile(`^[0-9]{4}$`)

// Yearly reports whether a ref is named as a line that folds go to. Others below
// Folded are lines of other clones, fetched under another name to be united with
// ours, or no lines at all.
func (ls Lines) Yearly(ref string) bool {
	year, ok := strings.CutPrefix(ref, ls.Folded)
	return ok && yearly.MatchString(year)
}

// openLine opens the line at a fold commit; ErrNotJournal when it is none.
func openLine(r *gitstore.Repo, ref string, at tree.Hash) (line, error) {
	c, err := r.Commit(at)
	if err != nil {
		return line{}, fmt.Errorf("reading %s: %w", ref, err)
	}
	text := c.Trailer(trailerFold)
	v, err := strconv.Atoi(text)
	switch {
	case err != nil || v < 1 || strconv.Itoa(v) != text:
		return line{}, fmt.Errorf("%s is at %s, which folds no journals: %w", ref, at.Short(), ErrNotJournal)
	case v > FoldVersion:
		return line{}, fmt.Errorf("%s has version %d and this program reads %d; update assent: %w", ref, v, FoldVersion, ErrVersion)
	}
	l := line{ref: ref, tip: c}
	if l.view, err = r.Snapshot(c.Tree); err == nil {
		_, err = l.view.List("")
	}
	if err != nil {
		return l, fmt.Errorf("reading %s: %w", ref, err)
	}
	return l, nil
}

// lines opens all lines, the newest first. Refs that are no lines are left out and
// named by the error: a stray ref beside the lines does not hide them.
func (ls Lines) lines(r *gitstore.Repo) ([]line, error, error) {
	refs, err := r.Refs(ls.Folded)
	if err != nil && len(refs) == 0 {
		return nil, nil, fmt.Errorf("listing folded journals: %w", err)
	}
	strangers := []error{err}
	var out []line
	for i := len(refs) - 1; i >= 0; i-- {
		l, err := openLine(r, refs[i].Name, refs[i].Hash)
		if notJournal(err) {
			strangers = append(strangers, err)
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		out = append(out, l)
	}
	return out, errors.Join(strangers...), nil
}

// notJournal tells foreign content in the place of a journal or line, or a loss from
// it, from a failure to look. Another version is among it: a program that writes one
// raises the workspace's format first.
func notJournal(err error) bool {
	return errors.Is(err, ErrNotJournal) || errors.Is(err, ErrVersion) || errors.Is(err, gitstore.ErrCorrupt) || errors.Is(err, gitstore.ErrNoObject) || errors.Is(err, tree.ErrTooLarge)
}

// lookup returns the record of a journal, and whether there is one.
func (l line) lookup(r *gitstore.Repo, name string) (Record, bool, error) {
	e, err := l.view.Lookup(recordPath(name))
	var data []byte
	if err == nil && e.Mode != tree.Regular {
		err = fmt.Errorf("it is not a regular file: %w", ErrNotJournal)
	}
	if err == nil {
		data, err = r.BlobWithin(e.Hash, MaxRecord)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return Record{}, false, nil
	}
	if err != nil {
		return Record{}, false, fmt.Errorf("looking for %s in %s: %w", name, l.ref, err)
	}
	rec, err := decodeRecord(l.ref, name, data)
	return rec, err == nil, err
}

// maxBadRecords is how many unreadable records of a line are named one by one.
const maxBadRecords = 100

// each visits the records of a line, in no order that means something. A record
// that cannot be read is handed over with its name and its error.
func (l line) each(r *gitstore.Repo, visit func(Record, error) error) error {
	bad := 0
	return tree.Files(l.view, "", func(e tree.Entry) error {
		name := path.Base(e.Path)
		data, err := r.BlobWithin(e.Hash, MaxRecord)
		rec := Record{Name: name, Line: l.ref}
		if err == nil && (e.Path != recordPath(name) || e.Mode != tree.Regular) {
			err = fmt.Errorf("%s holds %s, where no record is looked for: %w", l.ref, e.Path, ErrNotJournal)
		}
		if err == nil {
			var read Record
			if read, err = decodeRecord(l.ref, name, data); err == nil {
				rec = read
			}
		}
		if err != nil {
			bad++
		}
		//defence:lines-are-bounded
		if bad > maxBadRecords {
			return fmt.Errorf("more than %d records cannot be read: %w", maxBadRecords, ErrNotJournal)
		}
		return visit(rec, err)
	})
}

// records returns the records of one journal, from the newest line on.
func (ls Lines) records(r *gitstore.Repo, name string) ([]Record, error) {
	if name == "" || strings.Contains(name, "/") {
		return nil, nil // no such name is ever folded
	}
	lines, _, err := ls.lines(r)
	if err != nil {
		return nil, err
	}
	return recordsIn(r, lines, name)
}

// FoldedAt reports whether a record says that the journal is folded up to exactly
// the event head. It reads no journal.
func (ls Lines) FoldedAt(r *gitstore.Repo, name string, head tree.Hash) (bool, error) {
	there, err := ls.records(r, name)
	return slices.ContainsFunc(there, func(rec Record) bool { return rec.Head == head }), err
}

func recordsIn(r *gitstore.Repo, lines []line, name string) ([]Record, error) {
	var out []Record
	for _, l := range lines {
		rec, ok, err := l.lookup(r, name)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, rec)
		}
	}
	return out, nil
}

// Records visits every record of every line; one journal may be in several lines.
// What cannot be read is visited with an error: a record by its name, a ref below
// Folded that is no line with no name.
func (ls Lines) Records(r *gitstore.Repo, visit func(Record, error) error) error {
	lines, strangers, err := ls.lines(r)
	if err != nil {
		return err
	}
	if strangers != nil {
		if err := visit(Record{}, strangers); err != nil {
			return err
		}
	}
	for _, l := range lines {
		err := l.each(r, visit)
		if notJournal(err) {
			err = visit(Record{Line: l.ref}, err)
		}
		if err != nil {
			return fmt.Errorf("reading the records of %s: %w", l.ref, err)
		}
	}
	return nil
}

// RecordsAt visits the records of a line as it was at a fold commit.
func (ls Lines) RecordsAt(r *gitstore.Repo, fold tree.Hash, visit func(Record, error) error) error {
	l, err := openLine(r, ls.Folded, fold)
	if err != nil {
		return err
	}
	if err := l.each(r, visit); err != nil {
		return fmt.Errorf("reading the records at %s: %w", fold.Short(), err)
	}
	return nil
}

// Kept returns the events that lines keep reachable, besides those before them.
// The head of a record that is not among them is one that git may delete.
func (ls Lines) Kept(r *gitstore.Repo) (map[tree.Hash]bool, error) {
	kept, _, err := ls.walk(r)
	return kept, err
}

// Folds returns all fold commits of all lines, those of lines that were taken in
// included.
func (ls Lines) Folds(r *gitstore.Repo) (map[tree.Hash]bool, error) {
	_, folds, err := ls.walk(r)
	return folds, err
}

// walk visits every fold of every line and tells them from the events that they keep.
func (ls Lines) walk(r *gitstore.Repo) (kept, folds map[tree.Hash]bool, err error) {
	lines, _, err := ls.lines(r)
	if err != nil {
		return nil, nil, err
	}
	kept, folds = map[tree.Hash]bool{}, map[tree.Hash]bool{}
	var todo []gitstore.Commit
	for _, l := range lines {
		folds[l.tip.Hash] = true
		todo = append(todo, l.tip)
	}
	for len(todo) > 0 {
		c := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, h := range c.Parents {
			if kept[h] || folds[h] {
				continue
			}
			parent, err := r.Commit(h)
			if err != nil {
				return nil, nil, fmt.Errorf("walking the folds: %w", err)
			}
			if parent.Trailer(trailerFold) == "" {
				kept[h] = true
				continue
			}
			folds[h] = true
			todo = append(todo, parent)
		}
	}
	return kept, folds, nil
}
