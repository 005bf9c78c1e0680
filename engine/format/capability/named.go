package capability

import (
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
)

// Namer finds capabilities by name. Views with an index implement it, as views that know
// sizes implement tree.Sizer.
type Namer interface {
	// Named returns the folders whose names fold to the same key as name (see
	// names.Fold), in Git's order. Several are returned only if twins exist.
	Named(name string) ([]Folder, error)
}

// NamerOf returns the Namer of v: the view itself if it is one, else one that lists all
// folders on first use.
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

// Overlay finds capabilities by name in a tree that differs little from another one,
// whose Namer is known.
type Overlay struct {
	base          Namer
	before, after []Folder
	// Diagnostics are those of Folders for the folders that the change touches.
	Diagnostics diag.List
}

// NewOverlay returns the Namer of head. changes are the differences of base and head,
// including at least those below skills/; names is the Namer of base.
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

// Touched returns the capabilities of head that the change may have affected.
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
	order.Sort(out, CompareFolders)
	return out, nil
}

// CompareFolders orders capabilities as Folders returns them.
func CompareFolders(a, b Folder) int { return strings.Compare(a.Path+"/", b.Path+"/") }
