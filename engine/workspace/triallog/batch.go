package triallog

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// maxSegment is the size, in bytes, from which on the counts of a month go on in another file:
// each commit writes the last one again.
const maxSegment = 32 << 10

// Trailers of a commit.
const (
	trailerVersion   = "Assent-Trials"
	trailerWriter    = "Assent-Writer"
	trailerWorkspace = "Assent-Workspace"
	trailerSequence  = "Assent-Sequence"
	trailerLast      = "Assent-Last"
)

// The versions of commits and their files: with records, and with a roll-up of records in a database.
const (
	journalVersion = 1
	rolledVersion  = 2
)

// batch is the metadata in a commit's message.
type batch struct {
	writer    trial.Writer
	workspace string
	sequence  int
	last      trial.ID
	// trials is the number of records. If rolled is set, each stands for several trials.
	trials int
	rolled bool
}

func (b batch) message() string {
	version := journalVersion
	if b.rolled {
		version = rolledVersion
	}
	return fmt.Sprintf("trials: %d\n\n%s: %d\n%s: %s\n%s: %s\n%s: %d\n%s: %s\n", b.trials, trailerVersion, version,
		trailerWriter, b.writer, trailerWorkspace, b.workspace, trailerSequence, b.sequence, trailerLast, b.last)
}

// parseBatch reads a commit's message. It has one form.
func parseBatch(c gitstore.Commit) (batch, error) {
	v := c.Trailer(trailerVersion)
	if v != strconv.Itoa(journalVersion) && v != strconv.Itoa(rolledVersion) {
		if n, err := strconv.Atoi(v); err == nil && n > rolledVersion {
			return batch{}, fmt.Errorf("commit %s: %w", c.Hash.Short(), trial.ErrVersion)
		}
		return batch{}, fmt.Errorf("commit %s holds no trials: %w", c.Hash.Short(), ErrJournal)
	}
	b := batch{writer: trial.Writer(c.Trailer(trailerWriter)), workspace: c.Trailer(trailerWorkspace), rolled: v == strconv.Itoa(rolledVersion)}
	var errs [3]error
	b.sequence, errs[0] = strconv.Atoi(c.Trailer(trailerSequence))
	b.trials, errs[1] = strconv.Atoi(strings.TrimPrefix(c.Subject(), "trials: "))
	b.last, errs[2] = trial.ParseID(c.Trailer(trailerLast))
	if err := errors.Join(errs[:]...); err != nil || b.message() != c.Message {
		return batch{}, fmt.Errorf("commit %s has another message than a batch of trials: %w", c.Hash.Short(), ErrJournal)
	}
	return b, nil
}

// signed reads a commit and its batch, and checks that the writer signed it for this workspace.
func (l Log) signed(h tree.Hash, w trial.Writer) (gitstore.Commit, batch, error) {
	c, err := l.repo.Commit(h)
	if err != nil {
		return c, batch{}, err
	}
	b, err := parseBatch(c)
	if err != nil {
		return c, b, err
	}
	key, err := review.VerifyCommit(c.Payload(), []byte(c.Signature))
	switch {
	case err != nil:
		return c, b, fmt.Errorf("commit %s: %w: %w", h.Short(), err, ErrJournal)
	case b.writer != w || trial.WriterOfFingerprint(string(key)) != w:
		return c, b, fmt.Errorf("commit %s is signed by another installation than %s: %w", h.Short(), w, ErrJournal)
	case b.workspace != l.workspace:
		return c, b, fmt.Errorf("commit %s is of another workspace: %w", h.Short(), ErrJournal)
	}
	return c, b, nil
}

// recordsPath is where the records of a batch are.
func recordsPath(day trial.Day, sequence int) string {
	return fmt.Sprintf("%s/%d/%02d.jsonl", strings.ReplaceAll(day.String(), "-", "/"), sequence/100, sequence%100)
}

// path is where the records of the batch are, or their roll-up.
func (b batch) path() string {
	p := recordsPath(trial.DayOf(b.last.Time()), b.sequence)
	if b.rolled {
		p = strings.TrimSuffix(p, recordsExt) + rolledExt
	}
	return p
}

// countsDir is where the counts of a day's month are, in files 0000.tsv, 0001.tsv, …
func countsDir(day trial.Day) string { return day.Time().Format("2006/01") + "/counts" }

// edits returns the changes of a batch of one day in its journal's tree: its records are added,
// and their sums are added to the last counts of the month, or to a new file once those are large.
// The result depends only on the tree before and the trials.
func edits(before tree.View, b batch, c contents) ([]tree.Edit, error) {
	day := trial.DayOf(b.last.Time())
	sums := trial.SumRolled(c.records)
	segments, err := segmentsIn(before, countsDir(day))
	if err != nil {
		return nil, err
	}
	at := 0
	if n := len(segments); n > 0 {
		text, err := before.Read(segments[n-1].Path)
		if err != nil {
			return nil, err
		}
		if at = n; len(text) < maxSegment {
			known, err := trial.ParseCounts(text)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", segments[n-1].Path, err)
			}
			at, sums = n-1, known.Plus(sums)
		}
	}
	return []tree.Edit{
		{Path: b.path(), Content: c.text, Mode: tree.Regular},
		{Path: countsDir(day) + segmentName(at), Content: sums.Encode(), Mode: tree.Regular},
	}, nil
}

func segmentName(n int) string { return fmt.Sprintf("/%04d.tsv", n) }

// segmentsIn lists the files of counts of a month, in their order.
func segmentsIn(v tree.View, dir string) ([]tree.Entry, error) {
	entries, err := v.List(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for n, e := range entries {
		if e.Mode != tree.Regular || e.Path != dir+segmentName(n) {
			return nil, fmt.Errorf("%s holds %s, which is no file of counts: %w", dir, path.Base(e.Path), ErrJournal)
		}
	}
	return entries, nil
}

// write commits a batch of one day on top of a journal's last commit, if there is one.
func (l Log) write(signer ssh.Signer, w trial.Writer, tip tree.Hash, before batch, c contents) (tree.Hash, batch, error) {
	h, b, err := stack(l, signer, w, tip, before, c)
	if err != nil {
		return tip, before, err
	}
	err = l.repo.Update(gitstore.RefUpdate{Name: Ref(w), Old: tip, New: h, Reflog: "assent: trials"})
	return h, b, err
}

// stack makes the commit of write, and moves no ref.
func stack(l Log, signer ssh.Signer, w trial.Writer, tip tree.Hash, before batch, c contents) (tree.Hash, batch, error) {
	view, err := l.repo.Snapshot(tip)
	if err != nil {
		return tip, before, err
	}
	b := batch{writer: w, workspace: l.workspace, sequence: before.sequence + 1, last: c.records[len(c.records)-1].ID, trials: len(c.records), rolled: c.rolled}
	changes, err := edits(view, b, c)
	if err != nil {
		return tip, before, err
	}
	root, err := l.repo.WriteTree(view.Tree(), changes)
	if err != nil {
		return tip, before, err
	}
	var parents []tree.Hash
	if !tip.IsZero() {
		parents = []tree.Hash{tip}
	}
	who := gitstore.Person{Name: "assent", When: b.last.Time().Truncate(time.Second)}
	h, err := l.repo.WriteCommit(gitstore.Commit{Tree: root, Parents: parents, Author: who, Committer: who, Message: b.message()}, func(payload []byte) (string, error) {
		armored, err := review.SignCommit(payload, signer)
		return string(armored), err
	})
	return h, b, err
}

// batches splits trials, ordered by id, by day and into at most MaxBatch each.
func batches(trials []trial.Trial) [][]trial.Trial {
	var out [][]trial.Trial
	for len(trials) > 0 {
		day := trial.DayOf(trials[0].ID.Time())
		n := slices.IndexFunc(trials, func(t trial.Trial) bool { return trial.DayOf(t.ID.Time()) != day })
		if n < 0 {
			n = len(trials)
		}
		n = min(n, MaxBatch)
		out, trials = append(out, trials[:n]), trials[n:]
	}
	return out
}
