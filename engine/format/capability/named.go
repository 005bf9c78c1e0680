package capability

import (
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
)

// Namer finds capabilities by name. Views that know an index implement it, as
// they implement tree.Sizer where they know sizes.
type Namer interface {
	// Named returns the folders whose names fold to the same key as name (see
	// names.Fold), in Git's order. There is more than one only where twins stand.
	Named(name string) ([]Folder, error)
}

// NamerOf returns who finds capabilities by name in v: the view itself where it
// can, else somebody who lists all folders once, when first asked.
func NamerOf(v tree.View) Namer {
	if n, ok := v.(Namer); ok {
		return n
	}
	return &lister{view: v}
}

// lister finds names by listing.
type lister struct {
	view  tree.View
	known map[string][]Folder // by folded name
}

// Named implements Namer.
func (l *lister) Named(name string) ([]Folder, error) {
	if l.known == nil {
		all, _, err := Folders(l.view)
		if err != nil {
			return nil, err
		}
		l.known = map[string][]Folder{}
		for _, f := range all {
			key := names.Fold(f.Name)
			l.known[key] = append(l.known[key], f)
		}
	}
	return l.known[names.Fold(name)], nil
}

// Overlay finds capabilities by name in a tree that differs little from another
// one, whose Namer is known.
type Overlay struct {
	base          Namer
	before, after []Folder
	// Diagnostics are what Folders says of the folders that the change touches.
	Diagnostics diag.List
}

// NewOverlay returns the Namer of head. changes are the differences of base and
// head, or more of them than those below skills/; names is the Namer of base.
func NewOverlay(names Namer, base, head tree.View, changes []tree.Change) (*Overlay, error) {
	s, err := ScopeOf(base, head, changes)
	if err != nil {
		return nil, err
	}
	o := &Overlay{base: names}
	if o.before, _, err = s.Folders(base); err != nil {
		return nil, err
	}
	o.after, o.Diagnostics, err = s.Folders(head)
	return o, err
}

// Touched returns the capabilities of head that the change may have touched.
func (o *Overlay) Touched() []Folder { return o.after }

// Named implements Namer.
func (o *Overlay) Named(name string) ([]Folder, error) {
	known, err := o.base.Named(name)
	if err != nil {
		return nil, err
	}
	out := slices.DeleteFunc(slices.Clone(known), func(f Folder) bool { return slices.Contains(o.before, f) })
	key := names.Fold(name)
	for _, f := range o.after {
		if names.Fold(f.Name) == key {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, CompareFolders)
	return out, nil
}

// CompareFolders orders capabilities as Folders lists them.
func CompareFolders(a, b Folder) int { return strings.Compare(a.Path+"/", b.Path+"/") }
