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
// the difference exceeds maxCompared entries.
func Diff(a, b View, paths ...string) ([]Change, error) {
	if len(paths) == 0 {
		paths = []string{""}
	}
	d := differ{a: a, b: b}
	for _, p := range paths {
		if err := d.path(p); err != nil {
			return nil, err
		}
	}
	return d.out, nil
}

// maxCompared bounds the entries of one comparison: twice as many as 100 000 capabilities with
// two files each have. Otherwise a few small tree objects that name each other could stand for
// any number of files.
const maxCompared = 1 << 19

// ErrTooLarge is returned for a tree, or a difference of two, that exceeds the bounds.
var ErrTooLarge = errors.New("more files or deeper folders than assent reads")

type differ struct {
	a, b View
	out  []Change
	seen int
}

func (d *differ) path(p string) error {
	ea, err := lookup(d.a, p)
	if err != nil {
		return err
	}
	eb, err := lookup(d.b, p)
	if err != nil {
		return err
	}
	return d.pair(ea, eb)
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

// pair compares two entries of one path; either may be missing.
func (d *differ) pair(a, b *Entry) error {
	if a == nil && b == nil || a != nil && b != nil && a.Mode == b.Mode && !a.Hash.IsZero() && a.Hash == b.Hash {
		return nil
	}
	//defence:comparing-is-bounded
	if d.seen++; d.seen > maxCompared || a != nil && len(a.Path) > maxPath || b != nil && len(b.Path) > maxPath {
		return ErrTooLarge
	}
	aDir, bDir := a != nil && a.Mode == Dir, b != nil && b.Mode == Dir
	if aDir || bDir {
		return d.dirs(a, b, aDir, bDir)
	}
	if a != nil && b != nil && a.Mode == b.Mode {
		same, err := d.sameContent(*a, *b)
		if err != nil || same {
			return err
		}
	}
	d.emit(a, b)
	return nil
}

func (d *differ) emit(a, b *Entry) {
	var c Change
	if a != nil {
		c.Path, c.Old = a.Path, *a
	}
	if b != nil {
		c.Path, c.New = b.Path, *b
	}
	if c.Path != "" {
		d.out = append(d.out, c)
	}
}

// dirs descends if at least one side is a directory. A file on the other side is a separate
// removal or addition.
func (d *differ) dirs(a, b *Entry, aDir, bDir bool) error {
	var la, lb []Entry
	var err error
	switch {
	case aDir:
		if la, err = d.a.List(a.Path); err != nil {
			return err
		}
	case a != nil:
		d.emit(a, nil)
	}
	switch {
	case bDir:
		if lb, err = d.b.List(b.Path); err != nil {
			return err
		}
	case b != nil:
		d.emit(nil, b)
	}
	return d.merge(la, lb)
}

func (d *differ) merge(la, lb []Entry) error {
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
		if err := d.pair(a, b); err != nil {
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
