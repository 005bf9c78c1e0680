package tree

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
)

// Overlay is base with edits applied, without storing anything: what a tree
// would be if the edits were committed. Edits must carry their Content.
type Overlay struct {
	base    View
	edits   *Map
	removed map[string]bool
}

// NewOverlay returns the view; later edits of one path win.
func NewOverlay(base View, edits []Edit) *Overlay {
	o := &Overlay{base: base, removed: map[string]bool{}}
	for _, e := range edits {
		o.removed[e.Path] = e.Remove
	}
	o.edits = NewMap(edits...)
	return o
}

// Lookup implements View. Directories that edits reach into have no hash.
func (o *Overlay) Lookup(path string) (Entry, error) {
	e, err := o.edits.Lookup(path)
	if err == nil && e.Mode != Dir {
		return e, nil
	}
	if o.removed[path] {
		return Entry{}, ErrNotExist
	}
	below, errBase := o.base.Lookup(path)
	switch {
	case err == nil: // the edits add something below this directory
		return e, nil
	case errBase != nil:
		return Entry{}, errBase
	case below.Mode == Dir && o.touches(path):
		return o.thinned(path)
	}
	return below, nil
}

// thinned is a directory of base that only loses files.
func (o *Overlay) thinned(dir string) (Entry, error) {
	entries, err := o.List(dir)
	if err != nil {
		return Entry{}, err
	}
	if len(entries) == 0 && dir != "" {
		return Entry{}, ErrNotExist
	}
	return Entry{Path: dir, Mode: Dir, Size: -1}, nil
}

// touches reports whether any edit lies below dir.
func (o *Overlay) touches(dir string) bool {
	for path := range o.removed {
		if dir == "" || strings.HasPrefix(path, dir+"/") {
			return true
		}
	}
	return false
}

// List implements View.
func (o *Overlay) List(dir string) ([]Entry, error) {
	added, errAdded := o.edits.List(dir)
	var kept []Entry
	below, errBase := o.base.List(dir)
	if errBase != nil && !errors.Is(errBase, fs.ErrNotExist) {
		return nil, errBase
	}
	if errBase != nil && errAdded != nil {
		return nil, ErrNotExist
	}
	for _, e := range below {
		if slices.ContainsFunc(added, func(a Entry) bool { return a.Path == e.Path }) {
			continue
		}
		entry, err := o.Lookup(e.Path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		kept = append(kept, entry)
	}
	kept = append(kept, added...)
	slices.SortFunc(kept, func(a, b Entry) int { return Compare(a.Path, a.Mode, b.Path, b.Mode) })
	return kept, nil
}

// Read implements View.
func (o *Overlay) Read(path string) ([]byte, error) {
	if data, err := o.edits.Read(path); err == nil {
		return data, nil
	}
	if o.removed[path] {
		return nil, ErrNotExist
	}
	return o.base.Read(path)
}
