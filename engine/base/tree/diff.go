package tree

import (
	"errors"
	"io/fs"
)

// Change is one path that differs between two views. Old is the zero Entry if the path was
// added, New if it was removed.
type Change struct {
	Path     string
	Old, New Entry
}

// Added reports whether the path did not exist before.
func (c Change) Added() bool { return c.Old.Path == "" }

// Removed reports whether the path no longer exists. Other changes that are not Added altered
// content or mode.
func (c Change) Removed() bool { return c.New.Path == "" }

// Diff returns the files that differ between a and b below the given directories or files (the
// whole tree if none is given), in Git's order. It does not enter directories with known and
// equal hashes, so the cost depends on the size of the difference. The error is ErrTooLarge if
// the difference exceeds maxCompared entries, or their paths maxPaths bytes.
func Diff(a, b View, paths ...string) ([]Change, error) {
	d := differ{a: a, b: b, most: maxCompared}
	err := d.run(paths, d.path)
	return d.out, err
}

// DiffFirst is Diff, but returns only the first changes, at most as many as most says. The error is that of Diff.
// sizes has what earlier comparisons found, nil for none.
func DiffFirst(sizes *Sizes, most int, a, b View, paths ...string) ([]Change, error) {
	d := differ{a: a, b: b, most: most, sizes: sizes}
	err := d.run(paths, d.measure)
	if err == nil {
		err = d.run(paths, d.path)
	}
	return d.out, err
}

// maxCompared bounds the entries of one comparison: twice as many as 100 000 capabilities with
// two files each have. Otherwise a few small tree objects that name each other could stand for
// any number of files. maxPaths bounds the bytes of their paths: an average of 64.
const (
	maxCompared = 1 << 19
	maxPaths    = 64 * maxCompared
)

// ErrTooLarge is returned for a tree, or a difference of two, that exceeds the bounds.
var ErrTooLarge = errors.New("more files or deeper folders than assent reads")

type differ struct {
	a, b  View
	paths []string // what is compared
	most  int      // changes that are wanted
	out   []Change
	sizes *Sizes
	total size // of all paths that were measured
	seen  int
	bytes int // of the paths of all seen
}

// run calls f for the entries at each path.
func (d *differ) run(paths []string, f func(a, b *Entry) error) error {
	if d.paths = paths; len(paths) == 0 {
		d.paths = []string{""}
	}
	for _, p := range d.paths {
		ea, err := lookup(d.a, p)
		if err != nil {
			return err
		}
		eb, err := lookup(d.b, p)
		if err != nil {
			return err
		}
		if err := f(ea, eb); err != nil {
			return err
		}
	}
	return nil
}

func lookup(v View, p string) (*Entry, error) {
	e, err := v.Lookup(p)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &e, nil
}

func same(a, b *Entry) bool {
	return a == nil && b == nil || a != nil && b != nil && a.Mode == b.Mode && !a.Hash.IsZero() && a.Hash == b.Hash
}

func isDir(e *Entry) bool { return e != nil && e.Mode == Dir }

// measureAfter is the number of entries from which on a difference is measured before it is walked.
const measureAfter = 1 << 12

// path compares two entries of one path; either may be missing.
func (d *differ) path(a, b *Entry) error {
	if same(a, b) || len(d.out) >= d.most || d.sizes.none(a, b) {
		return nil
	}
	d.seen++
	d.bytes += pathLen(a, b)
	//defence:comparing-is-bounded
	if d.seen > maxCompared || d.bytes > maxPaths || pathLen(a, b) > maxPath {
		return ErrTooLarge
	}
	if d.seen == measureAfter && d.sizes == nil {
		if err := d.run(d.paths, d.measure); err != nil {
			return err
		}
	}
	if isDir(a) || isDir(b) {
		return d.dirs(a, b, d.path, d.emit)
	}
	equal, err := d.equal(a, b)
	if err == nil && !equal {
		d.emit(a, b)
	}
	return err
}

func (d *differ) equal(a, b *Entry) (bool, error) {
	if a == nil || b == nil || a.Mode != b.Mode {
		return false, nil
	}
	return d.sameContent(*a, *b)
}

func (d *differ) emit(a, b *Entry) {
	var c Change
	if a != nil {
		c.Path, c.Old = a.Path, *a
	}
	if b != nil {
		c.Path, c.New = b.Path, *b
	}
	if c.Path != "" && len(d.out) < d.most {
		d.out = append(d.out, c)
	}
}

// dirs calls pair for the entries of two directories; either directory may be missing. Where a file stands in the
// place of a directory, it calls file, because that is a separate removal or addition.
func (d *differ) dirs(a, b *Entry, pair func(a, b *Entry) error, file func(a, b *Entry)) error {
	var la, lb []Entry
	var err error
	switch {
	case isDir(a):
		if la, err = d.a.List(a.Path); err != nil {
			return err
		}
	case a != nil:
		file(a, nil)
	}
	switch {
	case isDir(b):
		if lb, err = d.b.List(b.Path); err != nil {
			return err
		}
	case b != nil:
		file(nil, b)
	}
	for len(la) > 0 || len(lb) > 0 {
		var a, b *Entry
		switch c := order(la, lb); {
		case c < 0:
			a, la = &la[0], la[1:]
		case c > 0:
			b, lb = &lb[0], lb[1:]
		default:
			a, b, la, lb = &la[0], &lb[0], la[1:], lb[1:]
		}
		if err := pair(a, b); err != nil {
			return err
		}
	}
	return nil
}

func order(la, lb []Entry) int {
	switch {
	case len(la) == 0:
		return 1
	case len(lb) == 0:
		return -1
	}
	return Compare(la[0].Path, la[0].Mode, lb[0].Path, lb[0].Mode)
}

func (d *differ) sameContent(a, b Entry) (bool, error) {
	if a.Mode == Submodule {
		return a.Hash == b.Hash, nil
	}
	ha, err := contentHash(d.a, a)
	if err != nil {
		return false, err
	}
	hb, err := contentHash(d.b, b)
	return ha == hb, err
}

func contentHash(v View, e Entry) (Hash, error) {
	if !e.Hash.IsZero() {
		return e.Hash, nil
	}
	data, err := v.Read(e.Path)
	if err != nil {
		return Hash{}, err
	}
	return BlobHash(data), nil
}
