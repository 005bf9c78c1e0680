package indexfile

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/registry/index"
)

const (
	extension = ".idx"
	// temporary begins the name of a file that is not complete; after staleAfter its
	// writer is taken for dead.
	temporary  = ".new-"
	staleAfter = time.Hour
	// keepStates is how many described trees are kept, with all that they stand on:
	// clones of one workspace that are at different commits take turns.
	keepStates = 3
	// maxSegments bounds how many segments may stand on each other.
	maxSegments = 64
)

// Folder is where segments are kept. It is made when the first one is.
type Folder struct{ Dir string }

func (f Folder) path(t tree.Hash) string { return filepath.Join(f.Dir, t.String()+extension) }

// Open returns the index of a skills/ tree. Whatever keeps it from being read is
// an error, and a reason to read the tree instead.
func (f Folder) Open(t tree.Hash) (*index.Index, error) {
	var segments []*index.Segment
	for at := t; !at.IsZero(); {
		s, err := f.segment(at)
		if err != nil {
			return nil, err
		}
		if segments = append(segments, s); len(segments) > maxSegments {
			return nil, fmt.Errorf("%s stands on too many others: %w", f.path(t), index.ErrDamaged)
		}
		at = s.Below
	}
	slices.Reverse(segments)
	return index.New(segments...)
}

// segment opens one file. It is closed when nobody uses it any more.
func (f Folder) segment(t tree.Hash) (*index.Segment, error) {
	file, err := os.Open(f.path(t))
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

// Trees lists the trees that have a segment, the newest first.
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

// files lists segments, the newest first.
func (f Folder) files() []kept {
	entries, err := os.ReadDir(f.Dir)
	if err != nil {
		return nil
	}
	var out []kept
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), extension)
		t, err := tree.ParseHash(name)
		if !ok || err != nil {
			continue
		}
		if info, err := e.Info(); err == nil {
			out = append(out, kept{t, info.ModTime()})
		}
	}
	slices.SortStableFunc(out, func(a, b kept) int { return b.at.Compare(a.at) })
	return out
}

// Writable reports whether Save has a chance, so that nobody works for nothing.
func (f Folder) Writable() bool {
	file, err := f.create()
	if err != nil {
		return false
	}
	_ = file.Close()
	return os.Remove(file.Name()) == nil
}

func (f Folder) create() (*os.File, error) {
	if err := os.MkdirAll(f.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make a folder for the index: %w", err)
	}
	return os.CreateTemp(f.Dir, temporary)
}

// Save keeps a segment as the description of t, and removes those that nobody
// needs any more. Readers see it whole or not at all.
func (f Folder) Save(t tree.Hash, segment []byte) error {
	file, err := f.create()
	if err != nil {
		return err
	}
	_, err = file.Write(segment)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), f.path(t))
	}
	if err != nil {
		os.Remove(file.Name())
		return fmt.Errorf("keep the index: %w", err)
	}
	f.tidy()
	return nil
}

// tidy removes what the newest states do not stand on. What another process still
// reads stays readable, or is read from the tree again.
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
			os.Remove(f.path(e.tree))
		}
	}
	leftovers, _ := filepath.Glob(filepath.Join(f.Dir, temporary+"*"))
	for _, name := range leftovers {
		if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) > staleAfter {
			os.Remove(name)
		}
	}
}
