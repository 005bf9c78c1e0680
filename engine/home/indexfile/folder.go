package indexfile

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/home"
	"github.com/assent-dev/assent/engine/registry/index"
)

const (
	extension = ".idx"
	// staleAfter is the age at which the writer of an unfinished file is presumed dead.
	staleAfter = time.Hour
	// keepStates is the number of trees whose segments are kept, with all segments below
	// them: clones of one workspace may be at different commits.
	keepStates = 3
	// maxSegments bounds the chain of segments of one index.
	maxSegments = 64
)

// Folder is the folder of the segments. The first Save creates it.
type Folder struct{ Dir string }

func (f Folder) store() home.Store { return home.At(f.Dir) }

func file(t tree.Hash) string { return t.String() + extension }

// Open returns the index of a skills/ tree. On any error the caller reads the tree instead.
func (f Folder) Open(t tree.Hash) (*index.Index, error) {
	var segments []*index.Segment
	for at := t; !at.IsZero(); {
		s, err := f.segment(at)
		if err != nil {
			return nil, err
		}
		if segments = append(segments, s); len(segments) > maxSegments {
			return nil, fmt.Errorf("%s refers to too many others: %w", f.store().Path(file(t)), index.ErrDamaged)
		}
		at = s.Below
	}
	slices.Reverse(segments)
	return index.New(segments...)
}

// segment opens one file. It is closed when its last reader releases it.
func (f Folder) segment(t tree.Hash) (*index.Segment, error) {
	file, err := f.store().Open(file(t))
	if err != nil {
		return nil, fmt.Errorf("open an index: %w", err)
	}
	info, err := file.Stat()
	if err == nil {
		var s *index.Segment
		if s, err = index.OpenSegment(file, info.Size()); err == nil && s.Tree == t {
			return s, nil
		}
		err = cmp.Or(err, index.ErrDamaged)
	}
	return nil, errors.Join(fmt.Errorf("open the index %s: %w", file.Name(), err), file.Close())
}

// Trees lists the trees that have a segment, newest first.
func (f Folder) Trees() []tree.Hash {
	var out []tree.Hash
	for _, e := range f.files() {
		out = append(out, e.tree)
	}
	return out
}

type kept struct {
	tree tree.Hash
	at   time.Time
}

// files lists the segments, newest first.
func (f Folder) files() []kept {
	list, err := f.store().List(".")
	if err != nil {
		return nil
	}
	var out []kept
	for _, info := range list {
		name, ok := strings.CutSuffix(info.Name(), extension)
		if t, err := tree.ParseHash(name); ok && err == nil {
			out = append(out, kept{t, info.ModTime()})
		}
	}
	order.Stable(out, func(a, b kept) int { return b.at.Compare(a.at) })
	return out
}

// Writable reports whether the folder can be written to, so that no index is built in vain.
func (f Folder) Writable() bool { return f.store().Writable() == nil }

// Save stores the segment that completes the index of t, and removes segments that are no
// longer needed. Readers see it whole or not at all.
func (f Folder) Save(t tree.Hash, segment []byte) error {
	if err := f.store().Cache(file(t), segment); err != nil {
		return fmt.Errorf("save the index: %w", err)
	}
	f.tidy()
	return nil
}

// tidy removes the segments that none of the newest trees needs. Another process that reads
// one keeps its open file, or reads the tree again.
func (f Folder) tidy() {
	needed := map[tree.Hash]bool{}
	files := f.files()
	for states, next := 0, 0; next < len(files) && states < keepStates; next++ {
		if needed[files[next].tree] {
			continue
		}
		states++
		for at := files[next].tree; !at.IsZero() && !needed[at]; {
			needed[at] = true
			s, err := f.segment(at)
			if err != nil {
				break
			}
			at = s.Below
		}
	}
	for _, e := range files {
		if !needed[e.tree] {
			_ = f.store().Remove(file(e.tree))
		}
	}
	f.store().Tidy(".", staleAfter)
}
