package index

import (
	"iter"
	"slices"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
)

// Index describes the capabilities of one skills/ tree. It never changes.
type Index struct{ parts []*part }

// part is a segment, and which of its entries later segments took back.
type part struct {
	*Segment
	dead map[uint32]bool
}

// New stacks segments, the base first. Each must describe the differences from the one before it;
// else the error is ErrDamaged.
func New(segments ...*Segment) (*Index, error) {
	x := &Index{}
	for i, s := range segments {
		if i == 0 != s.Below.IsZero() || i > 0 && s.Below != segments[i-1].Tree {
			return nil, ErrDamaged
		}
		removed, err := s.removed()
		if err != nil {
			return nil, err
		}
		for _, path := range removed {
			if err := x.bury(path); err != nil {
				return nil, err
			}
		}
		x.parts = append(x.parts, &part{s, map[uint32]bool{}})
	}
	return x, nil
}

// bury takes back the entry at path.
func (x *Index) bury(path string) error {
	at, err := x.places(spaceName, names.Fold(capability.FolderOf(path).Name))
	if err != nil {
		return err
	}
	for _, p := range at {
		found, err := p.path(p.id)
		if err != nil {
			return err
		}
		if found == path {
			p.dead[p.id] = true
			return nil
		}
	}
	return ErrDamaged
}

// place is one living entry.
type place struct {
	*part
	id uint32
}

// places returns the entries under a key, which may be of another text with the
// same hash.
func (x *Index) places(space byte, text string) ([]place, error) {
	var out []place
	for _, p := range x.parts {
		ids, err := p.lookup(space, text)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			if id >= p.Entries {
				return nil, ErrDamaged
			}
			if !p.dead[id] {
				out = append(out, place{p, id})
			}
		}
	}
	return out, nil
}

// Tree is the skills/ tree that is described, zero for none.
func (x *Index) Tree() tree.Hash {
	if len(x.parts) == 0 {
		return tree.Hash{}
	}
	return x.parts[len(x.parts)-1].Tree
}

// Len counts the capabilities.
func (x *Index) Len() int {
	n := 0
	for _, p := range x.parts {
		n += int(p.Entries) - len(p.dead)
	}
	return n
}

// Named returns the folders with a name; see capability.Namer, which Index implements.
func (x *Index) Named(name string) ([]capability.Folder, error) {
	key := names.Fold(name)
	at, err := x.places(spaceName, key)
	if err != nil {
		return nil, err
	}
	var out []capability.Folder
	for _, p := range at {
		path, err := p.path(p.id)
		if err != nil {
			return nil, err
		}
		if f := capability.FolderOf(path); names.Fold(f.Name) == key {
			out = append(out, f)
		}
	}
	order.Sort(out, capability.CompareFolders)
	return out, nil
}

// Related returns the entries that refer to a name by a relation, in any spelling, in the order of
// capability.Folders.
func (x *Index) Related(r Relation, name string) ([]Entry, error) {
	key := names.Fold(name)
	at, err := x.places(byte(r), key)
	if err != nil {
		return nil, err
	}
	var out []Entry
	for _, p := range at {
		e, err := p.entry(p.id)
		if err != nil {
			return nil, err
		}
		if e.names(r, key) {
			out = append(out, e)
		}
	}
	order.Sort(out, func(a, b Entry) int { return capability.CompareFolders(a.Folder, b.Folder) })
	return out, nil
}

// Folders yields where all capabilities stand, in the order of capability.Folders.
// After an error it ends.
func (x *Index) Folders() iter.Seq2[capability.Folder, error] {
	return func(yield func(capability.Folder, error) bool) {
		for p, err := range x.all() {
			if err != nil {
				yield(capability.Folder{}, err)
				return
			}
			path, err := p.path(p.id)
			if !yield(capability.FolderOf(path), err) || err != nil {
				return
			}
		}
	}
}

// Entries yields all capabilities, in the order of capability.Folders. After an
// error it ends.
func (x *Index) Entries() iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for p, err := range x.all() {
			if err != nil {
				yield(Entry{}, err)
				return
			}
			e, err := p.entry(p.id)
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// all merges the parts, which are sorted.
func (x *Index) all() iter.Seq2[place, error] {
	return func(yield func(place, error) bool) {
		heads := make([]head, 0, len(x.parts))
		for _, p := range x.parts {
			h := head{place: place{part: p}}
			if more, err := h.settle(); err != nil {
				yield(place{}, err)
				return
			} else if more {
				heads = append(heads, h)
			}
		}
		for len(heads) > 0 {
			least := 0
			for i := range heads {
				if heads[i].path < heads[least].path {
					least = i
				}
			}
			if !yield(heads[least].place, nil) {
				return
			}
			heads[least].id++
			more, err := heads[least].settle()
			if err != nil {
				yield(place{}, err)
				return
			}
			if !more {
				heads = slices.Delete(heads, least, least+1)
			}
		}
	}
}

// head is the next living entry of a part.
type head struct {
	place
	path string // with a slash at the end, which makes it comparable in Git's order
}

// settle moves to the next living entry, if there is one.
func (h *head) settle() (bool, error) {
	for h.id < h.Entries && h.dead[h.id] {
		h.id++
	}
	if h.id >= h.Entries {
		return false, nil
	}
	path, err := h.part.path(h.id)
	h.path = path + "/"
	return true, err
}
