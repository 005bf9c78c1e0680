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

// Weight is what the headers of its objects say about a journal.
type Weight struct {
	// Bytes is its size: more than MaxTotal if it is larger.
	Bytes int64
	// First is its first event; zero if it has more than MaxEvents.
	First tree.Hash

	number int
	err    error
}

// Sizes weighs journals by the headers of their objects, so that a reader of many journals can
// decide which to read. Events that several journals share are weighed once, also if they are damaged.
type Sizes map[tree.Hash]Weight

// Of returns the weight of the journal that ends at head.
func (s Sizes) Of(r *gitstore.Repo, head tree.Hash) (Weight, error) {
	var fresh []tree.Hash
	var own []Weight
	var total Weight
	for at, above := head, 0; ; {
		w, previous := s[at], tree.Hash{}
		_, known := s[at]
		if !known {
			var err error
			if w, previous, err = eventWeight(r, at); err != nil {
				w.err = fmt.Errorf("event %s: %w", at.Short(), err)
			}
		}
		if above > 0 && w.err == nil && w.number != above-1 {
			w = Weight{err: fmt.Errorf("event %s has number %d, before number %d: %w", at.Short(), w.number, above, ErrNotJournal)}
		}
		if known || w.err != nil {
			total = w
			break
		}
		fresh, own = append(fresh, at), append(own, w)
		if w.number > MaxEvents {
			total.Bytes = MaxTotal
			break
		}
		if total.First = at; previous.IsZero() {
			break
		}
		at, above = previous, w.number
	}
	for i := len(fresh) - 1; i >= 0; i-- {
		total.Bytes, total.number = min(total.Bytes+own[i].Bytes, MaxTotal+1), own[i].number
		//defence:events-are-weighed-once
		s[fresh[i]] = total
	}
	if total.err != nil {
		s[head] = total
	}
	return total, total.err
}

// Below returns the weight of the journal that was weighed whole before, and ends at head or a few
// commits below it; known is false if there is none.
func (s Sizes) Below(r *gitstore.Repo, head tree.Hash) (w Weight, known bool) {
	for n := 0; n <= maxUnreadable && !head.IsZero(); n++ {
		if w, known = s[head]; known && w.err == nil {
			return w, true
		}
		head = firstParent(r, head)
	}
	return Weight{}, false
}

// First returns the first event of a journal, with the chosen files.
func First(r *gitstore.Repo, at tree.Hash, only Files) (Event, error) {
	left := newBudget(only)
	e, _, err := readEvent(r, at, &left)
	if err == nil && e.Sequence != 1 {
		err = fmt.Errorf("number %d is not the first: %w", e.Sequence, ErrNotJournal)
	}
	if err != nil {
		err = fmt.Errorf("event %s: %w", at.Short(), err)
	}
	return e, err
}

// eventWeight returns the bytes and the number of an event, and the commit of the previous one; zero
// for the first.
func eventWeight(r *gitstore.Repo, h tree.Hash) (Weight, tree.Hash, error) {
	c, err := r.Commit(h)
	if err != nil {
		return Weight{}, tree.Hash{}, err
	}
	e, previous, err := eventOf(c)
	if err != nil {
		return Weight{}, tree.Hash{}, err
	}
	view, err := r.Snapshot(c.Tree)
	if err != nil {
		return Weight{}, tree.Hash{}, err
	}
	w := Weight{Bytes: int64(len(c.Message)), number: e.Sequence}
	err = tree.FilesWithin(view, "", MaxEntries, func(e tree.Entry) error {
		n, err := r.BlobSize(e.Hash)
		w.Bytes += n
		return err
	})
	return w, previous, err
}
