package tree

import "errors"

// Sizes remembers how much differs between two folders, by their hashes. So comparisons that share it
// look at each pair of folders once, and one comparison costs what is stored, not what that stands for:
// a few tree objects that name each other stand for any number of files. It is not safe for
// several goroutines.
type Sizes struct{ known map[[2]Hash]size }

// maxSizes bounds the pairs that are remembered: some 20 MiB.
const maxSizes = 1 << 17

// size is a difference, including the entry itself. Lengths and bytes are of paths relative to that entry.
type size struct {
	entries, changes, bytes, longest int
	// cut is set if a path became too long, so that the rest of the difference was not measured.
	cut bool
}

// vast reports whether the difference exceeds the bounds if its entry has a path of n bytes.
func (s size) vast(n int) bool {
	return s.entries > maxCompared || s.bytes+s.entries*n > maxPaths || s.longest+n > maxPath
}

// add adds a difference below a name of n bytes.
func (s *size) add(c size, n int) {
	s.entries, s.changes, s.bytes = s.entries+c.entries, s.changes+c.changes, s.bytes+c.bytes+c.entries*n
	s.longest, s.cut = max(s.longest, c.longest+n), s.cut || c.cut
}

// none reports whether two folders are known to hold the same files.
func (z *Sizes) none(a, b *Entry) bool {
	if z == nil || !isDir(a) && !isDir(b) {
		return false
	}
	s, known := z.known[key(a, b)]
	return known && s.changes == 0 && !s.vast(pathLen(a, b))
}

// key is zero if a hash is not computed. Blobs and trees have different hashes.
func key(a, b *Entry) (k [2]Hash) {
	if a != nil && a.Hash.IsZero() || b != nil && b.Hash.IsZero() {
		return k
	}
	if a != nil {
		k[0] = a.Hash
	}
	if b != nil {
		k[1] = b.Hash
	}
	return k
}

func pathLen(a, b *Entry) int {
	if a != nil {
		return len(a.Path)
	}
	return len(b.Path)
}

// errUnmeasured says that a view does not compute the hashes of its files.
var errUnmeasured = errors.New("the size of the difference is not known")

// measure returns ErrTooLarge if what is compared, up to two entries of one path, exceeds the bounds. A view
// without hashes is walked instead.
func (d *differ) measure(a, b *Entry) error {
	if d.sizes == nil {
		d.sizes = &Sizes{}
	}
	if same(a, b) {
		return nil
	}
	s, err := d.size(a, b)
	if errors.Is(err, errUnmeasured) {
		return nil
	}
	d.total.add(s, pathLen(a, b))
	//defence:differences-are-measured
	if err == nil && d.total.vast(0) {
		return ErrTooLarge
	}
	return err
}

func (d *differ) size(a, b *Entry) (size, error) {
	s, at := size{entries: 1}, pathLen(a, b)
	switch {
	case same(a, b):
		return size{}, nil
	case at > maxPath:
		return size{entries: 1, cut: true}, nil
	case !isDir(a) && !isDir(b):
		if k := key(a, b); k == [2]Hash{} {
			return s, errUnmeasured
		}
		equal, err := d.equal(a, b)
		if !equal {
			s.changes = 1
		}
		return s, err
	}
	k := key(a, b)
	//defence:trees-are-compared-once
	if known, ok := d.sizes.known[k]; ok && (!known.cut || known.vast(at)) {
		return known, nil
	}
	err := d.dirs(a, b, func(a, b *Entry) error {
		if s.vast(0) {
			return nil
		}
		c, err := d.size(a, b)
		s.add(c, pathLen(a, b)-at)
		return err
	}, func(_, _ *Entry) { s.changes++ })
	if err == nil && k != [2]Hash{} {
		if d.sizes.known == nil || len(d.sizes.known) >= maxSizes {
			d.sizes.known = map[[2]Hash]size{}
		}
		d.sizes.known[k] = s
	}
	return s, err
}
