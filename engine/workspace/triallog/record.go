package triallog

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// maxPending is how large the file of acknowledged trials may become, in bytes, while none
// can be committed.
const maxPending = 256 << 20

// Record keeps observations. When it returns without an error, they survive a kill and a power
// cut. Trials that wait too long, or suffice for a batch, are also committed; if that fails, they
// wait, and the next Record or Commit tries again.
func (l Log) Record(ctx context.Context, observed ...trial.Observation) (recorded []trial.Trial, err error) {
	if len(observed) == 0 {
		return nil, nil
	}
	err = l.opened(ctx, func(signer ssh.Signer, j journal, p pending) (err error) {
		last := p.last
		var text []byte
		for i, o := range observed {
			last = trial.Next(last, l.now(), j.writer)
			if o.Call, err = blind(signer, o.Call); err != nil {
				return err
			}
			t := trial.Trial{V: trial.FormatVersion, ID: last, Observation: o}
			line, err := t.Encode()
			if err != nil {
				return fmt.Errorf("trial %d: %w", i+1, err)
			}
			recorded, text = append(recorded, t), append(text, line...)
		}
		if p.size+p.spool.Size+int64(len(text)) > maxPending {
			return fmt.Errorf("%s holds %d bytes that wait to be stored, and takes no more: assent doctor says why", l.files.Path(""), p.size+p.spool.Size)
		}
		if err := l.files.Append(pendingFile, text); err != nil {
			return fmt.Errorf("record: %w", err)
		}
		p.trials = append(p.trials, recorded...)
		if len(p.trials) >= MaxBatch || l.now().Sub(p.trials[0].ID.Time()) >= MaxWait {
			if l.database.Sends && l.now().Sub(p.spool.Failed) < retryAfter {
				_ = settle(l, &p)
			} else {
				_ = l.commit(ctx, signer, j, p, false)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return recorded, nil
}

// blind replaces the digest of a call by one that needs this installation's key: an input could be
// guessed by its digest.
func blind(signer ssh.Signer, call string) (string, error) {
	if call == "" {
		return "", nil
	}
	sig, err := signer.Sign(rand.Reader, []byte("call of a capability\x00"+call))
	if err != nil {
		return "", fmt.Errorf("blind a call: %w", err)
	}
	sum := sha256.Sum256(sig.Blob)
	return hex.EncodeToString(sum[:8]), nil
}

// Waiting reports whether acknowledged trials may wait for a commit.
func (l Log) Waiting() bool {
	for _, file := range []string{pendingFile, dayFile, redoFile} {
		if info, err := l.files.Stat(file); err == nil && info.Size() > 0 {
			return true
		}
	}
	return false
}

// Commit brings all acknowledged trials into the journal.
func (l Log) Commit(ctx context.Context) error {
	if !l.Waiting() {
		return nil
	}
	return l.opened(ctx, func(signer ssh.Signer, j journal, p pending) error { return l.commit(ctx, signer, j, p, false) })
}

// opened calls a function under the lock, with the key, the journal and the waiting trials of this installation.
func (l Log) opened(ctx context.Context, do func(ssh.Signer, journal, pending) error) error {
	return l.locked(ctx, func() error {
		signer, w, err := l.ownKey()
		if err != nil {
			return err
		}
		j, err := l.journal(w)
		if err != nil {
			return err
		}
		s, err := readSpool(l)
		if err != nil {
			return err
		}
		after := j.batch.last
		if s.Last.Compare(after) > 0 {
			after = s.Last
		}
		p, err := l.pending(w, after)
		p.spool = s
		if err != nil {
			return err
		}
		return do(signer, j, p)
	})
}

// journal is where the journal of this installation ends.
type journal struct {
	writer trial.Writer
	tip    tree.Hash
	batch  batch
}

func (l Log) journal(w trial.Writer) (journal, error) {
	tip, err := l.head(w)
	if err != nil || tip.IsZero() {
		return journal{writer: w}, err
	}
	_, b, err := l.signed(tip, w)
	if err != nil {
		return journal{}, fmt.Errorf("the journal of this installation, %s: %w", Ref(w), err)
	}
	return journal{w, tip, b}, nil
}

// pending are the acknowledged trials that are not committed.
type pending struct {
	trials []trial.Trial
	// last is the newest id that was ever given.
	last trial.ID
	size int64
	// spool is what waits besides, of an installation that keeps its records in a database.
	spool spool
}

// pending reads the trials that wait. Text after the last line end was never acknowledged, and is
// cut off; lines up to the id committed are in the journal. Unreadable lines are moved to a
// separate file.
func (l Log) pending(w trial.Writer, committed trial.ID) (pending, error) {
	p := pending{last: committed}
	data, err := l.files.Read(pendingFile, maxPending)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return p, fmt.Errorf("read the trials that wait: %w", err)
	}
	if whole := bytes.LastIndexByte(data, '\n') + 1; whole < len(data) {
		if err := l.files.Truncate(pendingFile, int64(whole)); err != nil {
			return p, fmt.Errorf("cut off an unacknowledged line: %w", err)
		}
		data = data[:whole]
	}
	trials, bad := readable(data, w, committed)
	if len(bad) > 0 {
		kept, err := lines(trials)
		if err == nil {
			err = l.files.Append(damagedFile, bad)
		}
		if err == nil {
			err = l.files.Write(pendingFile, kept)
		}
		if err != nil {
			return p, fmt.Errorf("set damaged trials aside: %w", err)
		}
		data = kept
	}
	p.trials, p.size = trials, int64(len(data))
	if n := len(trials); n > 0 {
		p.last = trials[n-1].ID
	}
	return p, nil
}

// readable separates a writer's trials after an id from unreadable lines.
func readable(data []byte, w trial.Writer, after trial.ID) (trials []trial.Trial, bad []byte) {
	last := after
	for line := range bytes.Lines(data) {
		t, err := trial.Decode(line)
		switch {
		case err != nil || !t.ID.By(w):
			bad = append(bad, line...)
		case t.ID.Compare(last) > 0:
			trials, last = append(trials, t), t.ID
		}
	}
	return trials, bad
}

// commit writes the waiting trials as batches, and empties the file. If the records are kept in a database,
// it sends them, and commits roll-ups; with all that of today as well. The caller holds the lock.
func (l Log) commit(ctx context.Context, signer ssh.Signer, j journal, p pending, all bool) error {
	if l.database.Sends {
		return send(ctx, l, signer, j, p, all)
	}
	if redoes(l) { // the policies named a database before
		db, err := open(ctx, l)
		if err != nil {
			return err
		}
		defer db.Close()
		if err := redo(ctx, l, db, j.writer); err != nil {
			return err
		}
	}
	if len(p.trials) == 0 && p.size == 0 && p.spool.Size == 0 {
		return nil
	}
	trials, err := l.waiting(j.writer, j.batch.last)
	if err != nil {
		return err
	}
	for _, trials := range batches(trials) {
		c, err := records(trials)
		if err != nil {
			return err
		}
		if j.tip, j.batch, err = l.write(signer, j.writer, j.tip, j.batch, c); err != nil {
			return fmt.Errorf("commit %d trials: %w", len(trials), err)
		}
	}
	if err := errors.Join(l.files.Remove(dayFile), l.files.Remove(spoolFile)); err != nil {
		return fmt.Errorf("empty the spool: %w", err)
	}
	if err := l.files.Truncate(pendingFile, 0); err != nil {
		return fmt.Errorf("empty %s: %w", l.files.Path(pendingFile), err)
	}
	return nil
}
