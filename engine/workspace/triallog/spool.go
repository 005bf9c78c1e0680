package triallog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/registry/trial"
)

// Files of an installation that keeps its records in a database. The spool is dayFile and then pendingFile:
// acknowledged trials that no roll-up has. Each file alone may be lost by a kill at no point.
const (
	dayFile   = "day.jsonl"
	spoolFile = "spool.json"
)

// retryAfter is how long recording leaves a database alone that could not be reached.
const retryAfter = 30 * time.Second

// spool is how far the spool got. Without its file it is read from the trials, and they are sent again.
type spool struct {
	// Size is the number of bytes in dayFile, Sent those that the database has.
	Size int64 `json:"size"`
	Sent int64 `json:"sent"`
	// First and Last are the first and last trial of dayFile, and Lines is how many there are.
	First trial.ID `json:"first"`
	Last  trial.ID `json:"last"`
	Lines int      `json:"lines"`
	// Failed is when the database could last not be reached, if it could not be reached since.
	Failed time.Time `json:"failed,omitzero"`
}

func readSpool(l Log) (s spool, err error) {
	info, err := l.files.Stat(dayFile)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, fmt.Errorf("read the trials that wait: %w", err)
	}
	if data, err := l.files.Read(spoolFile, 1<<16); err == nil && json.Unmarshal(data, &s) == nil && s.Sent >= 0 && s.Sent <= s.Size && s.Size <= info.Size() {
		return s, nil
	}
	data, err := l.files.Read(dayFile, 2*maxPending)
	if err != nil {
		return s, fmt.Errorf("read the trials that wait: %w", err)
	}
	s = spool{}
	s.add(data[:bytes.LastIndexByte(data, '\n')+1])
	return s, nil
}

// add counts lines that were added to dayFile.
func (s *spool) add(text []byte) {
	for line := range bytes.Lines(text) {
		if id, ok := idOf(line); ok {
			if s.Lines++; s.Lines == 1 {
				s.First = id
			}
			s.Last = id
		}
	}
	s.Size += int64(len(text))
}

// idOf reads the id of a line.
func idOf(line []byte) (trial.ID, bool) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"v":1,"id":"`))
	text, _, _ := bytes.Cut(rest, []byte(`"`))
	id, err := trial.ParseID(string(text))
	return id, ok && err == nil
}

// note keeps how far the spool got. Only what is durable may be lost by no power cut.
func (s spool) note(l Log, durable bool) error {
	data, err := json.Marshal(s)
	if err == nil && durable {
		err = l.files.Write(spoolFile, data)
	} else if err == nil {
		err = l.files.Cache(spoolFile, data)
	}
	if err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	return nil
}

// settle moves the pending trials to the day's, so that recording reads few.
func settle(l Log, p *pending) error {
	if len(p.trials) == 0 && p.size == 0 {
		return nil
	}
	text, err := l.files.Read(pendingFile, maxPending)
	if err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	if info, err := l.files.Stat(dayFile); err == nil && info.Size() > p.spool.Size { // of a write that was interrupted
		if err := l.files.Truncate(dayFile, p.spool.Size); err != nil {
			return fmt.Errorf("spool: %w", err)
		}
	}
	if err := l.files.Append(dayFile, text); err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	p.spool.add(text)
	if err := p.spool.note(l, true); err != nil {
		return err
	}
	p.trials, p.size = nil, 0
	return l.files.Truncate(pendingFile, 0)
}

// send brings the spool into the database, and what is due into a roll-up: past days, or everything if it
// is too much to be read again and again, or if all is set.
func send(ctx context.Context, l Log, signer ssh.Signer, j journal, p pending, all bool) error {
	if err := settle(l, &p); err != nil {
		return err
	}
	s := p.spool
	due := s.Lines > 0 && (all || s.Lines >= maxRoll || trial.DayOf(s.First.Time()) < trial.DayOf(l.now()))
	if s.Sent == s.Size && !due && !redoes(l) {
		return nil
	}
	var day []byte
	var err error
	if s.Size > 0 {
		if day, err = l.files.Read(dayFile, 2*maxPending); err != nil {
			return fmt.Errorf("read the trials that wait: %w", err)
		}
		day = day[:s.Size]
	}
	db, err := open(ctx, l)
	if err == nil {
		defer db.Close()
		if err = redo(ctx, l, db, j.writer); err == nil {
			err = forward(ctx, db, j.writer, &s, day)
		}
	}
	if err != nil {
		s.Failed = l.now()
		return errors.Join(fmt.Errorf("%d bytes of trials wait in %s, and the next command sends them again: %w", s.Size-s.Sent, l.files.Path(dayFile), err), s.note(l, false))
	}
	s.Failed = time.Time{}
	if !due {
		return s.note(l, false)
	}
	rolled, rest := dueTrials(l, j, s, day, all)
	if _, err = roll(ctx, l, db, signer, j, rolled); err != nil {
		return err
	}
	text, err := lines(rest)
	if err != nil {
		return err
	}
	if err := l.files.Write(dayFile, text); err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	s = spool{}
	s.add(text)
	s.Sent = s.Size
	return s.note(l, true)
}

// dueTrials separates the trials of the spool that are to be rolled up from those that wait for the end of
// their day.
func dueTrials(l Log, j journal, s spool, day []byte, all bool) (due, rest []trial.Trial) {
	trials, _ := readable(day, j.writer, j.batch.last)
	if all || s.Lines >= maxRoll {
		return trials, nil
	}
	today := trial.DayOf(l.now())
	for n, t := range trials {
		if trial.DayOf(t.ID.Time()) >= today {
			return trials[:n], trials[n:]
		}
	}
	return trials, nil
}

// forward stores the part of the spool that the database does not have.
func forward(ctx context.Context, db Rows, w trial.Writer, s *spool, day []byte) error {
	for s.Sent < s.Size {
		var rows []trial.Row
		at := s.Sent
		for line := range bytes.Lines(day[s.Sent:]) {
			if at += int64(len(line)); len(rows) < MaxBatch {
				if id, ok := idOf(line); ok {
					rows = append(rows, trial.Row{ID: id, Line: line})
				}
			}
			if len(rows) == MaxBatch {
				break
			}
		}
		if err := store(ctx, db, w, rows); err != nil {
			return err
		}
		s.Sent = at
	}
	return nil
}

func store(ctx context.Context, db Rows, w trial.Writer, rows []trial.Row) error {
	if len(rows) == 0 {
		return nil
	}
	if err := db.Put(ctx, w, rows); err != nil {
		return fmt.Errorf("%w: %w", ErrDatabase, err)
	}
	return nil
}

// roll commits roll-ups of trials, each of one day, once the database has their rows. A server that was
// replaced by its replica may have lost some: they are sent again.
func roll(ctx context.Context, l Log, db Rows, signer ssh.Signer, j journal, trials []trial.Trial) (journal, error) {
	for len(trials) > 0 {
		n := 0
		for n < min(len(trials), maxRoll) && trial.DayOf(trials[n].ID.Time()) == trial.DayOf(trials[0].ID.Time()) {
			n++
		}
		c, err := rollUp(trials[:n])
		if err != nil {
			return j, err
		}
		if err := ensure(ctx, db, j.writer, c.parts, trials[:n]); err != nil {
			return j, err
		}
		if j.tip, j.batch, err = l.write(signer, j.writer, j.tip, j.batch, c); err != nil {
			return j, fmt.Errorf("commit a roll-up of %d trials: %w", n, err)
		}
		trials = trials[n:]
	}
	return j, nil
}

// ensure returns once the database has the rows of parts.
func ensure(ctx context.Context, db Rows, w trial.Writer, parts []trial.Part, trials []trial.Trial) error {
	for _, p := range parts {
		for sent := false; ; sent = true {
			is, err := db.Digest(ctx, w, p)
			if err != nil {
				return fmt.Errorf("%w: %w", ErrDatabase, err)
			}
			if is == p.SHA256 {
				break
			}
			if sent {
				return fmt.Errorf("%w has other rows between %s and %s than this installation sent: others write there in its name. Trials stay in the spool; remove those rows, and let only trusted programs write there", ErrDatabase, p.First, p.Last)
			}
			rows, err := rowsOf(trials[:p.Rows])
			if err == nil {
				err = store(ctx, db, w, rows)
			}
			if err != nil {
				return err
			}
		}
		trials = trials[p.Rows:]
	}
	return nil
}

func rowsOf(trials []trial.Trial) (out []trial.Row, err error) {
	for _, t := range trials {
		line, err := t.Encode()
		if err != nil {
			return nil, err
		}
		out = append(out, trial.Row{ID: t.ID, Line: line})
	}
	return out, nil
}

// Spool is what waits of an installation's trials.
type Spool struct {
	// Trials are acknowledged and in no roll-up or batch. They count here.
	Trials int
	// Bytes is the size of all of them, and Unsent that of those that the database does not have.
	Bytes, Unsent int64
	// Failed is when the database could last not be reached, zero if it could.
	Failed time.Time
	// Path is the folder.
	Path string
}

// SpoolOf returns what waits of this installation's trials.
func SpoolOf(l Log) (out Spool, err error) {
	s, err := readSpool(l)
	if err != nil {
		return out, err
	}
	out = Spool{Bytes: s.Size, Unsent: s.Size - s.Sent, Failed: s.Failed, Path: l.files.Path("")}
	if info, err := l.files.Stat(pendingFile); err == nil {
		out.Bytes, out.Unsent = out.Bytes+info.Size(), out.Unsent+info.Size()
	}
	own, err := l.Own()
	if err != nil || own == "" {
		return out, err
	}
	j, err := l.journal(own)
	if err != nil {
		return out, err
	}
	trials, err := l.waiting(own, j.batch.last)
	out.Trials = len(trials)
	return out, err
}
