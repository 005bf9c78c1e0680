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
	// RoomEvents and RoomBytes are the last part of MaxEvents and MaxTotal, which the owner of a
	// journal may keep for some events.
	RoomEvents = 1_000
	RoomBytes  = 8 << 20
)

// InRoom returns the index of the first event in the last part of a journal's bounds, and the number
// of events if none is.
func InRoom(events []Event) int {
	total := int64(0)
	for i, e := range events {
		if total += e.size(); i >= MaxEvents-RoomEvents || total > MaxTotal-RoomBytes {
			return i
		}
	}
	return len(events)
}

// Size returns an upper estimate of an event's size when it is read.
func (e Event) Size() int64 { return e.size() }

// budget is the rest of the bounds while one journal is read.
type budget struct {
	events int
	bytes  int64
	only   Files
}

// Files chooses the files of events to read, by path and size; nil chooses all. The others count
// against the bounds by the headers of their objects, and cost no more.
type Files func(path string, size int64) bool

func newBudget(only Files) budget { return budget{MaxEvents, MaxTotal, only} }

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
		size, err := b.readFile(r, e, min(MaxFile, left, b.bytes), files)
		left, b.bytes = left-size, b.bytes-size
		return err
	})
	return files, err
}

// readFile adds one file of an event to files if it is chosen.
func (b *budget) readFile(r *gitstore.Repo, e tree.Entry, most int64, files map[string][]byte) (int64, error) {
	if b.only != nil {
		size, err := r.BlobSize(e.Hash)
		//defence:unneeded-files-are-weighed
		if err == nil && size <= most && !b.only(e.Path, size) {
			return size, nil
		}
	}
	data, err := r.BlobWithin(e.Hash, most)
	files[e.Path] = data
	return int64(len(data)), err
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

// Sizes weighs journals by the headers of their objects, so that a reader of many journals can
// decide which to read. Events that several journals share are weighed once.
type Sizes map[tree.Hash]int64

// Of returns the bytes of the journal that ends at head: more than MaxTotal if it is larger.
func (s Sizes) Of(r *gitstore.Repo, head tree.Hash) (int64, error) {
	var fresh []tree.Hash
	var own []int64
	total := int64(0)
	for at := head; ; {
		if known, has := s[at]; has {
			total = known
			break
		}
		size, previous, err := eventSize(r, at)
		if err != nil {
			return 0, fmt.Errorf("event %s: %w", at.Short(), err)
		}
		fresh, own = append(fresh, at), append(own, size)
		if len(fresh) > MaxEvents {
			return MaxTotal + 1, nil
		}
		if previous.IsZero() {
			break
		}
		at = previous
	}
	for i := len(fresh) - 1; i >= 0; i-- {
		total = min(total+own[i], MaxTotal+1)
		s[fresh[i]] = total
	}
	return total, nil
}

// eventSize returns the bytes of an event and the commit of the previous one; zero for the first.
func eventSize(r *gitstore.Repo, h tree.Hash) (size int64, previous tree.Hash, err error) {
	c, err := r.Commit(h)
	if err != nil {
		return 0, previous, err
	}
	if _, previous, err = eventOf(c); err != nil {
		return 0, previous, err
	}
	view, err := r.Snapshot(c.Tree)
	if err != nil {
		return 0, previous, err
	}
	size = int64(len(c.Message))
	err = tree.FilesWithin(view, "", MaxEntries, func(e tree.Entry) error {
		n, err := r.BlobSize(e.Hash)
		size += n
		return err
	})
	return size, previous, err
}
