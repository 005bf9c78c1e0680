package triallog

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/registry/trial"
)

const (
	recordsExt = ".jsonl"
	rolledExt  = ".rollup"
	// maxRoll is how many trials a roll-up stands for at most.
	maxRoll = 10_000
)

// contents is the file of a batch: records of trials, or their roll-up with the parts of the database that
// hold them.
type contents struct {
	text    []byte
	records []trial.Rolled
	rolled  bool
	parts   []trial.Part
}

func records(trials []trial.Trial) (contents, error) {
	text, err := lines(trials)
	return contents{text: text, records: singles(trials)}, err
}

func singles(trials []trial.Trial) []trial.Rolled {
	out := make([]trial.Rolled, len(trials))
	for i, t := range trials {
		out[i] = t.Single()
	}
	return out
}

// rollUp sums up trials of one day, of which a database has the rows.
func rollUp(trials []trial.Trial) (c contents, err error) {
	c.rolled = true
	for _, rows := range batches(trials) {
		part, err := partOf(rows)
		if err != nil {
			return c, err
		}
		line, err := canonical.Line(part)
		if err != nil {
			return c, fmt.Errorf("encode a part: %w", err)
		}
		c.parts, c.text = append(c.parts, part), append(c.text, line...)
	}
	if c.records, err = trial.Roll(singles(trials)); err != nil {
		return c, err
	}
	for _, r := range c.records {
		line, err := r.Encode()
		if err != nil {
			return c, fmt.Errorf("roll-up: %w", err)
		}
		c.text = append(c.text, line...)
	}
	return c, nil
}

func partOf(trials []trial.Trial) (trial.Part, error) {
	text, err := lines(trials)
	named := slices.ContainsFunc(trials, func(t trial.Trial) bool { return t.Identifies() })
	return trial.Part{First: trials[0].ID, Last: trials[len(trials)-1].ID, Rows: len(trials), SHA256: digestOf(text), Erased: !named}, err
}

func digestOf(text []byte) string { return strings.TrimPrefix(canonical.Digest(text), "sha256:") }

// readContent reads the file of a batch.
func readContent(path string, text []byte) (contents, error) {
	if !strings.HasSuffix(path, rolledExt) {
		trials, err := parseLines(text)
		return contents{text: text, records: singles(trials)}, err
	}
	return parseRollUp(text)
}

// parseRollUp reads a roll-up. It has one form: parts in order, then records.
func parseRollUp(text []byte) (contents, error) {
	c := contents{text: text, rolled: true}
	var rows, times int64
	for line := range bytes.Lines(text) {
		if len(c.records) == 0 && bytes.HasPrefix(line, []byte(`{"first":`)) {
			p, err := canonical.Decode[part]("", line, trial.MaxLine)
			if n := len(c.parts); err == nil && n > 0 && c.parts[n-1].Last.Compare(p.First) >= 0 {
				err = errors.New("it does not follow the one before")
			}
			if err != nil {
				return c, fmt.Errorf("part %d: %w", len(c.parts)+1, err)
			}
			c.parts, rows = append(c.parts, trial.Part(p)), rows+int64(p.Rows)
			continue
		}
		r, err := trial.DecodeRolled(line)
		if err != nil {
			return c, fmt.Errorf("record %d: %w", len(c.records)+1, err)
		}
		c.records, times = append(c.records, r), times+r.Times
	}
	switch {
	case len(c.parts) == 0 || len(c.records) == 0 || rows != times || rows > maxRoll:
		return c, fmt.Errorf("it stands for %d trials and names %d rows, at most %d", times, rows, maxRoll)
	case c.parts[len(c.parts)-1].Last != c.records[len(c.records)-1].ID:
		return c, errors.New("its records and rows do not end with the same trial")
	}
	return c, nil
}

// part is a trial.Part with its checks.
type part trial.Part

// Encode writes the part as one line.
func (p part) Encode() ([]byte, error) {
	sum, err := hex.DecodeString(p.SHA256)
	if err != nil || len(sum) != 32 || p.Rows < 1 || p.Rows > MaxBatch || p.First.Compare(p.Last) > 0 || trial.DayOf(p.First.Time()) != trial.DayOf(p.Last.Time()) {
		return nil, errors.New("want rows of one day from first to last, at most 1 000, and their SHA-256")
	}
	return canonical.Line(p)
}

// lines are the records of trials, one a line.
func lines(trials []trial.Trial) ([]byte, error) {
	var out bytes.Buffer
	for _, t := range trials {
		line, err := t.Encode()
		if err != nil {
			return nil, err
		}
		out.Write(line)
	}
	return out.Bytes(), nil
}

// parseLines reads records that have one form each.
func parseLines(data []byte) ([]trial.Trial, error) {
	var out []trial.Trial
	for line := range bytes.Lines(data) {
		t, err := trial.Decode(line)
		if err != nil {
			return nil, fmt.Errorf("record %d: %w", len(out)+1, err)
		}
		out = append(out, t)
	}
	return out, nil
}

// contentAt reads the file of a batch.
func (l Log) contentAt(e tree.Entry) (contents, error) {
	most := int64(MaxBatch * trial.MaxLine)
	if strings.HasSuffix(e.Path, rolledExt) {
		most = maxRoll * trial.MaxLine
	}
	data, err := l.repo.BlobWithin(e.Hash, most)
	if err != nil {
		return contents{}, err
	}
	return readContent(e.Path, data)
}
