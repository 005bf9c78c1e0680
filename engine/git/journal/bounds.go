package journal

import (
	"fmt"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// Bounds of a journal's content. They are checked by the headers of objects before anything is
// inflated: a writer of refs can write a journal whose few kilobytes inflate to gigabytes.
// Append refuses what Read would refuse.
const (
	MaxEvents = 20_000
	// MaxEntries bounds the files and folders of one event.
	MaxEntries = 256
	// MaxFile, MaxBytes and MaxTotal bound a file, an event and a journal, including the text
	// of events.
	MaxFile  = 32 << 20
	MaxBytes = 32 << 20
	MaxTotal = 64 << 20
	// MaxRecord bounds the record of a folded journal.
	MaxRecord = 1 << 20
)

// budget is the rest of the bounds while one journal is read.
type budget struct {
	events int
	bytes  int64
}

func newBudget() budget { return budget{MaxEvents, MaxTotal} }

// spendEvent subtracts an event and its text.
func (b *budget) spendEvent(c gitstore.Commit) error {
	b.events--
	b.bytes -= int64(len(c.Message))
	//defence:journals-are-bounded
	if b.events < 0 || b.bytes < 0 {
		return fmt.Errorf("it has more than %d events or %d MiB: %w", MaxEvents, MaxTotal>>20, ErrNotJournal)
	}
	return nil
}

// readFiles reads the payload of one event.
func (b *budget) readFiles(r *gitstore.Repo, root tree.Hash) (map[string][]byte, error) {
	files := map[string][]byte{}
	snapshot, err := r.Snapshot(root)
	if err != nil {
		return nil, err
	}
	left := int64(MaxBytes)
	err = tree.FilesWithin(snapshot, "", MaxEntries, func(e tree.Entry) error {
		if e.Mode != tree.Regular {
			return fmt.Errorf("%.80s has the mode %o: %w", e.Path, uint32(e.Mode), ErrNotJournal)
		}
		data, err := r.BlobWithin(e.Hash, min(MaxFile, left, b.bytes))
		left, b.bytes = left-int64(len(data)), b.bytes-int64(len(data))
		files[e.Path] = data
		return err
	})
	return files, err
}

// checkSize refuses an event that Read would refuse, alone or after history.
func (e Event) checkSize(history []Event) error {
	if len(e.Files) > MaxEntries/2 || len(history) >= MaxEvents {
		return fmt.Errorf("event %q: more than %d files, or more than %d events: %w", e.Kind, MaxEntries/2, MaxEvents, ErrFull)
	}
	own, total := e.size(), int64(0)
	for _, h := range history {
		total += h.size()
	}
	if own > MaxBytes || own+total > MaxTotal {
		return fmt.Errorf("event %q has %d bytes after %d: at most %d MiB make an event, and %d MiB a journal: %w", e.Kind, own, total, MaxBytes>>20, MaxTotal>>20, ErrFull)
	}
	return nil
}

// size returns an upper estimate of an event's size when it is read.
func (e Event) size() int64 {
	n := 512 + len(e.Note) + 4*len(e.By)
	for key, value := range e.Fields {
		n += len(key) + 8 + 4*len(value) // escaped
	}
	for _, data := range e.Files {
		n += len(data)
	}
	return int64(n)
}
