package triallog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// redoFile holds an erasure until the database has it: the commits before and after it, and the rows.
const (
	redoFile = "redo.jsonl"
	maxRedo  = 1 << 30
)

type redoing struct {
	Old tree.Hash `json:"old"`
	New tree.Hash `json:"new"`
}

// erases reports whether a batch is another one, some of it erased.
func (c contents) erases(old contents) bool {
	if c.rolled != old.rolled {
		return false
	}
	if !c.rolled {
		return slices.EqualFunc(c.records, old.records, func(a, b trial.Rolled) bool { return a.Erases(b.Trial) })
	}
	return slices.EqualFunc(c.parts, old.parts, func(a, b trial.Part) bool { return a.First == b.First && a.Last == b.Last && a.Rows == b.Rows }) &&
		trial.ErasedRoll(c.records, old.records)
}

// changeRows moves the journal and changes the rows of the database. A kill in between loses neither:
// the next command goes on.
func changeRows(ctx context.Context, l Log, db Rows, w trial.Writer, r redoing, changed []trial.Trial) error {
	head, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("erase: %w", err)
	}
	text, err := lines(changed)
	if err != nil {
		return err
	}
	if err := l.files.Write(redoFile, slices.Concat(head, []byte("\n"), text)); err != nil {
		return fmt.Errorf("erase: %w", err)
	}
	return redo(ctx, l, db, w)
}

func redoes(l Log) bool {
	info, err := l.files.Stat(redoFile)
	return err == nil && info.Size() > 0
}

// redo completes an erasure, if one is left.
func redo(ctx context.Context, l Log, db Rows, w trial.Writer) error {
	data, err := l.files.Read(redoFile, maxRedo)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("an erasure is left: %w", err)
	}
	head, text, _ := bytes.Cut(data, []byte("\n"))
	var r redoing
	changed, err := parseLines(text)
	if err = errors.Join(err, json.Unmarshal(head, &r)); err != nil {
		return fmt.Errorf("an erasure is left, and %s is damaged: remove it and erase again: %w", l.files.Path(redoFile), err)
	}
	tip, err := l.head(w)
	if err != nil {
		return err
	}
	if tip == r.Old {
		if err := moveErased(l, w, r); err != nil {
			return err
		}
	}
	for part := range slices.Chunk(changed, MaxBatch) {
		rows, err := rowsOf(part)
		if err == nil {
			err = store(ctx, db, w, rows)
		}
		if err != nil {
			return fmt.Errorf("erased in the journal, and the rows of the database follow with the next command that reaches it: %w", err)
		}
	}
	return l.files.Remove(redoFile)
}
