package triallog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assent-dev/assent/engine/registry/trial"
)

// With a database as store, the journal holds no records but signed roll-ups of them: what counts and
// health need, and the digests of the rows. So decisions rest on Git alone. A row that no roll-up
// signs, or another than the one that was signed, is not read.

// ErrDatabase is returned if the database does not answer as it must.
var ErrDatabase = errors.New("the database of trials")

// Database is where the rows of trials are, beside the journals.
type Database struct {
	// Sends is set if this installation keeps its records there and not in its journal.
	Sends bool
	// Open connects.
	Open func(context.Context) (Rows, error)
}

// Rows is a connection to a database. No row of it is trusted.
type Rows interface {
	// Put stores rows, also those that are there already: again or in place of others with their ids.
	Put(ctx context.Context, w trial.Writer, rows []trial.Row) error
	// Digest returns the SHA-256 of the lines of a part as they are there.
	Digest(ctx context.Context, w trial.Writer, p trial.Part) (string, error)
	// Read returns the lines of a part as they are there, in the order of their ids.
	Read(ctx context.Context, w trial.Writer, p trial.Part) ([][]byte, error)
	Close()
}

// In is the log with a database.
func In(l Log, d Database) Log {
	l.database = d
	return l
}

func open(ctx context.Context, l Log) (Rows, error) {
	if l.database.Open == nil {
		return nil, fmt.Errorf("%w is not configured", ErrDatabase)
	}
	db, err := l.database.Open(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDatabase, err)
	}
	return db, nil
}

// maxReading bounds how long one reader waits for the database.
const maxReading = 2 * time.Minute

// rowReader reads rows for one visit. It connects when the first row is needed, and once.
type rowReader struct {
	log Log
	db  Rows
	err error
	// named are the writers of whom rows were left out.
	named map[trial.Writer]bool
}

func (r *rowReader) close() {
	if r.db != nil {
		r.db.Close()
	}
}

// trials returns the trials that a batch adds, in their order. For a roll-up these are rows of the database; of
// rows that differ from the signed ones, those in the same part are left out and named.
func (r *rowReader) trials(w trial.Writer, c contents) (out []trial.Trial, problems []error) {
	if !c.rolled {
		for _, t := range c.records {
			out = append(out, t.Trial)
		}
		return out, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), maxReading)
	defer cancel()
	if r.db == nil && r.err == nil {
		if r.db, r.err = open(ctx, r.log); r.err != nil {
			return nil, []error{fmt.Errorf("older records are missing: %w", r.err)}
		}
	}
	for _, p := range c.parts {
		if r.err != nil {
			break // it is named already
		}
		trials, err := readPart(ctx, r.db, w, p)
		if errors.Is(err, ErrDatabase) {
			r.err = err
		}
		if err != nil && (r.err != nil || !r.named[w]) {
			problems = append(problems, err)
			if r.named == nil {
				r.named = map[trial.Writer]bool{}
			}
			r.named[w] = true
		}
		out = append(out, trials...)
	}
	return out, problems
}

// readPart reads the rows of a part, and checks that they are the signed ones.
func readPart(ctx context.Context, db Rows, w trial.Writer, p trial.Part) ([]trial.Trial, error) {
	lines, err := db.Read(ctx, w, p)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDatabase, err)
	}
	text := bytes.Join(lines, nil)
	//defence:rows-match-their-roll-up
	if digestOf(text) != p.SHA256 {
		return nil, fmt.Errorf("the database has other rows than the %d that %s signed from %s to %s: they are not read, and others neither that differ", p.Rows, Ref(w), p.First, p.Last)
	}
	trials, err := parseLines(text)
	if err != nil {
		return nil, fmt.Errorf("the rows that %s signed from %s to %s: %w", Ref(w), p.First, p.Last, err)
	}
	var last trial.ID
	for _, t := range trials {
		if !t.ID.By(w) || t.ID.Compare(last) <= 0 {
			return nil, fmt.Errorf("the rows that %s signed from %s to %s are not in the order of its ids", Ref(w), p.First, p.Last)
		}
		last = t.ID
	}
	if len(trials) != p.Rows || trials[0].ID != p.First || last != p.Last {
		return nil, fmt.Errorf("%s signed other rows than those from %s to %s", Ref(w), p.First, p.Last)
	}
	return trials, nil
}

// Reach returns why the database does not answer, nil if it does.
func Reach(ctx context.Context, l Log) error {
	db, err := open(ctx, l)
	if err == nil {
		db.Close()
	}
	return err
}
