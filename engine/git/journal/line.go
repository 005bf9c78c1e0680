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

// A line is a chain of fold commits on one ref, named after the year in which it started. Each
// commit's first parent is the previous fold. Its other parents are the last events of the
// folded journals, or another line that was merged into it. Its tree has a record for each
// journal of the line, spread evenly over folders, so that a fold writes few small folders at
// any size.

// FoldVersion is the written and the newest readable format of fold commits and records.
const FoldVersion = 1

// trailerFold marks a fold commit.
const trailerFold = "Assent-Fold"

// Record is the position of a folded journal's end.
type Record struct {
	Name string
	// Head is the last event.
	Head tree.Hash
	// Summary is the JSON given to Fold.
	Summary json.RawMessage
	// Line is the ref with the record.
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

// decodeRecord parses the record of name.
func decodeRecord(line, name string, data []byte) (Record, error) {
	var f recordFile
	err := json.Unmarshal(data, &f)
	switch {
	case err != nil:
		err = fmt.Errorf("%w: %w", ErrNotJournal, err)
	case f.V > FoldVersion:
		err = fmt.Errorf("it has version %d and this program reads %d; update assent: %w", f.V, FoldVersion, ErrVersion)
	case f.V < 1 || f.Name != name || f.Head.IsZero():
		err = fmt.Errorf("it is of %.80q, at %s: %w", f.Name, f.Head.Short(), ErrNotJournal)
	}
	if err != nil {
		return Record{}, fmt.Errorf("the record of %s in %s: %w", name, line, err)
	}
	return Record{Name: name, Head: f.Head, Summary: f.Summary, Line: line}, nil
}

// recordPath returns the path of a journal's record. Three digits give 4 096 folders: 25
// records each for 100 000 journals.
func recordPath(name string) string {
	sum := sha1.Sum([]byte(name)) //nolint:gosec // see the import
	digits := hex.EncodeToString(sum[:2])
	return path.Join(digits[:1], digits[1:2], digits[2:3], name)
}

// Lines are all lines of one kind of journal. They do not know the journals' own refs.
type Lines struct {
	// Folded is the prefix of the lines' refs: refs/assent/closed/.
	Folded string
	// True returns an error if a record is not what maintenance writes about a journal with these
	// events, of which the last is the record's; nil takes every record as true.
	True func(rec Record, events []Event) error
	// opened are the lines that Opened found, nil to open them for each journal.
	opened *[]line
}

// Opened returns Lines that are opened once, for reading many journals while no line moves: anyone
// who can push can add lines, and each is opened again for each journal otherwise.
func (ls Lines) Opened(r *gitstore.Repo) (Lines, error) {
	lines, _, err := ls.lines(r)
	//defence:lines-are-opened-once
	if err == nil {
		ls.opened = &lines
	}
	return ls, err
}

// line is a line at the time when it was opened.
type line struct {
	ref  string
	tip  gitstore.Commit
	view *gitstore.Snapshot
}

var yearly = regexp.MustCompile(`^[0-9]{4}$`)

// Yearly reports whether a ref is a line that folds may extend, named by one of two hundred years:
// clones take such lines from each other, and every reader opens all of them. Other refs below Folded are
// lines of other clones, fetched under another name to be merged into ours, or not lines.
func (ls Lines) Yearly(ref string) bool {
	year, ok := strings.CutPrefix(ref, ls.Folded)
	//defence:lines-are-few
	if year < "2000" || year > "2199" {
		return false
	}
	return ok && yearly.MatchString(year)
}

// openLine opens the line at a fold commit. It returns ErrNotJournal for another commit.
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

// lines opens all lines, newest first. Refs that are not lines are omitted and reported in the
// second result: a stray ref does not hide the lines. A ref in a folder below Folded, where no clone
// writes lines, is not even reported.
func (ls Lines) lines(r *gitstore.Repo) ([]line, error, error) {
	refs, err := r.Refs(ls.Folded)
	if err != nil && len(refs) == 0 {
		return nil, nil, fmt.Errorf("listing folded journals: %w", err)
	}
	strangers := []error{err}
	var out []line
	for i := len(refs) - 1; i >= 0; i-- {
		l, err := openLine(r, refs[i].Name, refs[i].Hash)
		if notJournal(err) && strings.Contains(strings.TrimPrefix(refs[i].Name, ls.Folded), "/") {
			continue
		}
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

// notJournal reports whether err is about malformed, missing or foreign content in a journal or
// line, and not an error of the environment. It includes newer versions: a program that writes
// one first raises the workspace's format.
func notJournal(err error) bool {
	return errors.Is(err, ErrNotJournal) || errors.Is(err, ErrVersion) || gitstore.IsContent(err)
}

// lookup returns the record of a journal; ok is false if there is none.
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

// falsehood returns why a record is not true of the events up to its own.
func (ls Lines) falsehood(rec Record, events []Event) error {
	i := slices.IndexFunc(events, func(e Event) bool { return e.Commit == rec.Head })
	if i < 0 {
		return fmt.Errorf("%s says that it ended at %s, which is no event of it: %w", rec.Line, rec.Head.Short(), ErrNotJournal)
	}
	//defence:false-records-count-for-nothing
	if ls.True != nil {
		return ls.True(rec, events[:i+1])
	}
	return nil
}

// maxBadRecords bounds the unreadable records of a line that are reported one by one.
const maxBadRecords = 100

// each visits the records of a line in no particular order. An unreadable record is passed with
// its name and its error.
func (l line) each(r *gitstore.Repo, visit func(Record, error) error) error {
	bad := 0
	return tree.Files(l.view, "", func(e tree.Entry) error {
		name := path.Base(e.Path)
		data, err := r.BlobWithin(e.Hash, MaxRecord)
		rec := Record{Name: name, Line: l.ref}
		if err == nil && (e.Path != recordPath(name) || e.Mode != tree.Regular) {
			err = fmt.Errorf("%s holds %.80s, which is not the path of a record: %w", l.ref, e.Path, ErrNotJournal)
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

// records returns the records of one journal, newest line first.
func (ls Lines) records(r *gitstore.Repo, name string) ([]Record, error) {
	if name == "" || strings.Contains(name, "/") {
		return nil, nil // such a name is never folded
	}
	if ls.opened != nil {
		return recordsIn(r, *ls.opened, name)
	}
	lines, _, err := ls.lines(r)
	if err != nil {
		return nil, err
	}
	return recordsIn(r, lines, name)
}

// FoldedAt reports whether a record says that the journal is folded up to exactly the event
// head. It does not read the journal.
func (ls Lines) FoldedAt(r *gitstore.Repo, name string, head tree.Hash) (bool, error) {
	there, err := ls.records(r, name)
	return slices.ContainsFunc(there, func(rec Record) bool { return rec.Head == head }), err
}

// recordsIn returns the readable records of one journal, also beside an error about others.
func recordsIn(r *gitstore.Repo, lines []line, name string) ([]Record, error) {
	var out []Record
	var unreadable error
	for _, l := range lines {
		rec, ok, err := l.lookup(r, name)
		if err != nil && !notJournal(err) {
			return nil, err
		}
		//defence:records-hide-no-others
		unreadable = errors.Join(unreadable, err)
		if ok {
			out = append(out, rec)
		}
	}
	return out, unreadable
}

// Records visits every record of every line; a journal may be in several lines. Unreadable
// content is visited with an error: a record with its name, and a ref below Folded that is not
// a line without a name.
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

// RecordsAt visits the records of a line at one of its fold commits.
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

// Kept returns the last events that lines keep reachable, without earlier ones. If the head of
// a record is not among them, git may delete it.
func (ls Lines) Kept(r *gitstore.Repo) (map[tree.Hash]bool, error) {
	kept, _, err := ls.walk(r)
	return kept, err
}

// Folds returns all fold commits of all lines, including lines that were merged in.
func (ls Lines) Folds(r *gitstore.Repo) (map[tree.Hash]bool, error) {
	_, folds, err := ls.walk(r)
	return folds, err
}

// walk visits every fold of every line, and separates folds from the events that they keep.
func (ls Lines) walk(r *gitstore.Repo) (kept, folds map[tree.Hash]bool, err error) {
	lines, _, err := ls.lines(r)
	if err != nil {
		return nil, nil, err
	}
	kept, folds = map[tree.Hash]bool{}, map[tree.Hash]bool{}
	var todo []gitstore.Outline
	for _, l := range lines {
		folds[l.tip.Hash] = true
		todo = append(todo, l.tip.Outline())
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
			todo = append(todo, parent.Outline())
		}
	}
	return kept, folds, nil
}
